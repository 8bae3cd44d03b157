import type { ResultView } from "../call/result.ts";
import { judgeText, type TextCheck } from "../check/check-text.ts";
import type { ToolSchema } from "./detail.ts";

/**
 * The verdict on a result's `structuredContent`.
 *
 * - `undeclared`: the tool has no `outputSchema`; nothing was checked
 * - `error`: the tool reports an error, whose result need not follow its schema; nothing was checked
 * - `missing`: a schema is declared, but the result has no structured content
 * - `judged`: checked against the schema
 */
export type OutputVerdict =
  | { readonly kind: "undeclared" | "error" | "missing" }
  | { readonly kind: "judged"; readonly verdict: TextCheck; readonly text: string };

/** Checks a result against the tool's `outputSchema` (MCP 2025-11-25, Server Features, Tools, "Output Schema"). */
export function judgeOutput(output: ToolSchema | undefined, result: ResultView): OutputVerdict {
  if (output === undefined) return { kind: "undeclared" };
  if (result.isError) return { kind: "error" };
  const { structured: text } = result;
  if (text === undefined) return { kind: "missing" };
  return { kind: "judged", verdict: judgeText(output.compiled, text), text };
}
