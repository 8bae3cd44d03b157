import { type Check, type Issue, type PathStyle, SchemaCache } from "@touchstone/core";
import type { Tool } from "./tool.ts";

/** A check, and what is odd in the schema itself. */
export interface Judgement extends Check {
  readonly schemaWarnings: readonly Issue[];
}

/** Judges a JSON text by a tool's input schema. Never rejects. */
export type Judge = (
  tool: Pick<Tool, "inputSchema" | "texts">,
  text: Uint8Array,
  maxIssues?: number,
) => Promise<Judgement>;

/** Limits of a {@link Judge}. */
export interface JudgeOptions {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxIssues: number;
  readonly paths: PathStyle;
}

/**
 * A judge with a cache of its own. Schemas are compiled once for each content, whichever object
 * they come in, since hosts may build their tools anew for every request.
 */
export function createJudge({ maxBytes, maxDepth, maxIssues, paths }: JudgeOptions): Judge {
  const schemas = new SchemaCache();
  return async ({ inputSchema, texts }, text, most = maxIssues) => {
    const written = (inputSchema ?? undefined) === undefined ? undefined : texts?.inputSchema;
    const schema = typeof written === "string" ? { text: written } : { value: inputSchema };
    const compiled = schemas.get(schema);
    const check = compiled.check(text, { maxBytes, maxDepth, maxIssues: most, paths });
    return { ...check, schemaWarnings: compiled.warnings };
  };
}
