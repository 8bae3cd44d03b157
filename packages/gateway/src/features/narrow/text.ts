import { type Check, modelLines } from "@touchstone/core/advanced";
import { MAX_MODEL_TEXT_BYTES, quotedToolName } from "../text.ts";

/** Why policy blocks a call whose arguments it cannot decide about. */
const WHY_UNSURE: ReadonlyMap<Check["outcome"], string> = new Map([
  ["guard", "the arguments are over a limit, so they were not checked"],
  ["budget", "the arguments could not be checked"],
]);

/**
 * Returns the text for a model whose arguments policy forbids: which part, and what is allowed instead. It names no
 * values of the arguments.
 */
export function explainPolicy(tool: string, check: Check): string {
  const name = quotedToolName(tool);
  const why = WHY_UNSURE.get(check.outcome) ?? "it does not allow these arguments";
  const lines = modelLines(check, { maxBytes: MAX_MODEL_TEXT_BYTES, whole: "the arguments" });
  return [
    `The call of ${name} was blocked before it reached the server: this gateway's policy forbids it (${why}).`,
    ...lines.map((line) => `- ${line}`),
    "The operator sets the policy. Call the tool with arguments that the policy allows, or do not call it.",
  ].join("\n");
}
