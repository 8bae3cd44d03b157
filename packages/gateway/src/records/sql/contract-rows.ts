import { createHash } from "node:crypto";
import type { ContractHashes, KeptTool } from "../../contracts/store.ts";

/** What is read of a kept contract, from either database. */
export interface ContractRow {
  readonly tool: string;
  readonly input_hash: string | null;
  readonly output_hash: string | null;
}

/** A kept tool with its schemas' texts, from either database. */
export interface ToolRow {
  readonly input_hash: string | null;
  readonly output_hash: string | null;
  readonly input_text: Uint8Array | null;
  readonly output_text: Uint8Array | null;
}

/**
 * The columns of a {@link ToolRow}, and how they are joined to `list_tools`.
 */
export const TOOL_COLUMNS: string = `i.hash AS input_hash, o.hash AS output_hash, i.text AS input_text, o.text AS output_text`;
export const TOOL_SCHEMAS: string = `LEFT JOIN schemas i ON i.id = t.input LEFT JOIN schemas o ON o.id = t.output`;

/**
 * A tool as a row has it. Undefined if a schema's text is not the one that its hash was made of: calls must not be
 * checked against a text that somebody has edited.
 */
export function keptTool(name: string, row: ToolRow, exact: boolean): KeptTool | undefined {
  const { input_hash, output_hash, input_text, output_text } = row;
  if (!isIntact(input_hash, input_text) || !isIntact(output_hash, output_text)) return undefined;
  const declaration = {
    name,
    ...(input_text === null ? {} : { inputSchema: new Uint8Array(input_text) }),
    ...(output_text === null ? {} : { outputSchema: new Uint8Array(output_text) }),
  };
  return { declaration, exact };
}

function isIntact(hash: string | null, text: Uint8Array | null): boolean {
  if (hash === null || text === null) return hash === null && text === null;
  return hash === `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** The schemas' hashes of kept contracts, by tool. */
export function hashesOf(rows: readonly ContractRow[]): ReadonlyMap<string, ContractHashes> {
  return new Map(
    rows.map((row) => [
      toolOf(row.tool),
      { inputHash: row.input_hash ?? undefined, outputHash: row.output_hash ?? undefined },
    ]),
  );
}

/**
 * A tool's name as a column holds it. No text column gives back U+0000 or a lone surrogate; a name with
 * one is kept as the JSON string that spells it, and so is one that could be taken for such a string.
 */
export function toolColumn(name: string): string {
  const plain = name.isWellFormed() && !name.includes("\u0000") && !name.startsWith('"');
  return plain ? name : JSON.stringify(name);
}

/** The name that a column holds by {@link toolColumn}. */
export function toolOf(column: string): string {
  if (!column.startsWith('"')) return column;
  try {
    const name: unknown = JSON.parse(column);
    return typeof name === "string" ? name : column;
  } catch {
    return column;
  }
}
