import {
  type Check,
  describeCheck,
  isSchemaLoop,
  modelLines,
  type RootName,
} from "@touchstone/core/advanced";
import { isQueueFull } from "../features/decision.ts";
import { schemaLine } from "../features/show-schema/text.ts";
import { MAX_MODEL_TEXT_BYTES, quotedToolName, summarizeIssues } from "../features/text.ts";

/** The reasons for blocking a call without a check of its arguments. */
const WHY_NOT: ReadonlyMap<Check["outcome"], string> = new Map([
  ["uncompilable", "the tool's input schema cannot be used, so its arguments cannot be checked."],
  ["guard", "its arguments are over a limit, so they were not checked."],
  ["budget", "its arguments could not be checked."],
]);

/** Information for the model besides the issues. */
interface Beside {
  /** Whether the same arguments were blocked before. */
  readonly repeated?: boolean;
  /** The tool's input schema as its server wrote it, to show if it is small. */
  readonly schema?: Uint8Array | undefined;
}

const REPEATED =
  "The same arguments were blocked before, and will be again: change what is listed above before you call the tool.";

/** Returns what a model reads besides the issues, one line each. */
export function hintLines({ repeated = false, schema }: Beside): readonly string[] {
  const shown = schemaLine(schema);
  return [...(repeated ? [REPEATED] : []), ...(shown === undefined ? [] : [shown])];
}

/**
 * Returns the text for a model whose arguments were blocked: what is wrong and what to do, on one screen. It names
 * places and types, but no values of the arguments.
 */
export function explainInput(tool: string, check: Check, beside: Beside = {}): string {
  const name = quotedToolName(tool);
  const isBroken = check.outcome === "uncompilable";
  const last = isBroken
    ? ["This is a fault of the server. Changing the arguments will not help."]
    : [
        ...(beside.repeated === true || isSchemaLoop(check)
          ? []
          : ["Correct the arguments and call the tool again."]),
        ...hintLines(beside),
      ];
  const why = WHY_NOT.get(check.outcome) ?? "its arguments do not match the tool's input schema.";
  const head = `The call of ${name} was blocked before it reached the server: ${why}`;
  const lines = isBroken
    ? describeCheck(check, "the arguments", 1).map(({ text }) => text)
    : modelLines(check, { maxBytes: MAX_MODEL_TEXT_BYTES, whole: "the arguments" });
  return [head, ...lines.map((line) => `- ${line}`), ...last].join("\n");
}

/** Returns the text that replaces a blocked structured result. */
export function explainOutput(reason: string): string {
  return `output schema validation failed: ${reason}`;
}

/** Why a result was blocked or noted, in one line, for records and for {@link explainOutput}. */
export function outputReason(
  check: Pick<Check, "outcome" | "errors" | "truncated" | "counts">,
  whole: RootName = "the result",
): string {
  if (check.outcome === "missing") {
    return "tool declares an output schema but returned no structured content";
  }
  if (isQueueFull(check)) return check.errors[0]?.message ?? "";
  if (check.outcome === "unknown") return `cannot be checked: ${check.errors[0]?.message ?? ""}`;
  return summarizeIssues(check, whole);
}
