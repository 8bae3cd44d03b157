import type { ContractHashes } from "../../contracts/store.ts";

/** What is read of a kept contract, from either database. */
export interface ContractRow {
  readonly tool: string;
  readonly input_hash: string | null;
  readonly output_hash: string | null;
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
