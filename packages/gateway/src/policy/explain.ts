import {
  type Check,
  describeCheck,
  type Issue,
  isUnion,
  modelLines,
  type Rule,
  type Whole,
} from "@touchstone/core";
import type { SchemaGap } from "../contracts/source.ts";
import { visible } from "../util/log.ts";
import { isQueueFull } from "./decide.ts";
import type { SchemaCheckSettings } from "./settings.ts";

const MAX_LINE = 300;
/** How much of a tool's name is shown, in UTF-16 code units. */
const MAX_TOOL = 128;
/** How many things that are wrong stand on one line. */
const MAX_SHOWN = 3;
/** The part of a text for a model that tells what is wrong, in bytes of UTF-8: one screen. */
const MAX_MODEL_LINES = 4_096;

/**
 * A check without the issues whose class is ignored, so that nobody is told to fix them. Those of a union stay
 * together: it counts as one issue, whatever its branches ask for.
 */
export function heeded(check: Check, rules: SchemaCheckSettings["rules"]): Check {
  const ignored = ({ rule }: Issue): boolean => rules[rule] === "ignore";
  if (!check.errors.some(ignored) || check.errors.some(isUnion)) return check;
  const { truncated: _, ...rest } = check;
  const errors = check.errors.filter((issue) => !ignored(issue));
  const counts = Object.fromEntries(
    Object.entries(check.counts).filter(([rule]) => rules[rule as Rule] !== "ignore"),
  );
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const truncated = total - errors.length;
  return { ...rest, errors, counts, ...(truncated > 0 ? { truncated } : {}) };
}

/**
 * Returns one line for logs and records: the first things that are wrong, as sentences for people, and how many issues
 * more there are. Of a union that is not met it says what the closest branch requires.
 * @param whole what the root is called
 */
export function summarise(check: Pick<Check, "errors" | "truncated">, whole?: Whole): string {
  const { errors, truncated = 0 } = check;
  const told = describeCheck(check, whole, MAX_SHOWN);
  const lines = told.map(({ text }) => visible(text, MAX_LINE)).join("; ");
  const more = errors.length - told.reduce((sum, { issues }) => sum + issues, 0) + truncated;
  return more > 0 ? `${lines}; and ${more} more` : lines;
}

/** Why a call was stopped whose arguments were not looked at. */
const WHY_NOT: ReadonlyMap<Check["outcome"], string> = new Map([
  ["uncompilable", "the tool's input schema cannot be used, so its arguments cannot be checked."],
  ["guard", "its arguments are over a limit, so they were not checked."],
  ["budget", "its arguments could not be checked."],
]);

/**
 * The text that a model gets when its arguments were stopped: what is wrong and what to do, on one
 * screen. Names no values of the arguments, only their places and types.
 */
export function explainInput(tool: string, check: Check): string {
  const name = visible(JSON.stringify(tool.slice(0, MAX_TOOL)), 2 * MAX_TOOL);
  const isBroken = check.outcome === "uncompilable";
  const advice = isBroken
    ? "This is a fault of the server. Changing the arguments will not help."
    : "Correct the arguments and call the tool again.";
  const why = WHY_NOT.get(check.outcome) ?? "its arguments do not match the tool's input schema.";
  const head = `The call of ${name} was blocked before it reached the server: ${why}`;
  const lines = isBroken
    ? describeCheck(check, "the arguments", 1).map(({ text }) => text)
    : modelLines(check, { maxBytes: MAX_MODEL_LINES, whole: "the arguments" });
  return [head, ...lines.map((line) => `- ${line}`), advice].join("\n");
}

/** The message of the protocol's error for a tool that the server does not list. */
export function unknownTool(tool: string): string {
  return `Unknown tool: ${visible(tool.slice(0, MAX_TOOL), 2 * MAX_TOOL)}`;
}

/** The text that a model gets when its call was blocked because nobody knows what the tool takes. */
export function explainUnknown(tool: string, { code, reason }: SchemaGap): string {
  const name = visible(JSON.stringify(tool.slice(0, MAX_TOOL)), 2 * MAX_TOOL);
  const next =
    code === "incomplete"
      ? "Changing the arguments will not help. The operator can raise limits.tools, or set on_unknown_schema to allow for this server."
      : "Changing the arguments will not help. List the tools and call again in a few seconds; if it goes on, the server has to be looked at.";
  return [
    `The call of ${name} was blocked before it reached the server: it cannot be checked yet, because the tool's schemas are not known.`,
    `- ${visible(reason, MAX_LINE)}`,
    next,
  ].join("\n");
}

/** The text in the place of a structured result that was stopped. */
export function explainOutput(reason: string): string {
  return `output schema validation failed: ${reason}`;
}

/** Why a result was stopped or noted, in one line, for records and for {@link explainOutput}. */
export function outputReason(
  check: Pick<Check, "outcome" | "errors" | "truncated" | "counts">,
  whole: Whole = "the result",
): string {
  if (check.outcome === "missing") {
    return "tool declares an output schema but returned no structured content";
  }
  if (isQueueFull(check)) return check.errors[0]?.message ?? "";
  if (check.outcome === "unknown") return `cannot be checked: ${check.errors[0]?.message ?? ""}`;
  return summarise(check, whole);
}
