import {
  type Check,
  describeIssue,
  describeReceived,
  describeWanted,
  explainCheck,
  type Fact,
  type Issue,
  modelLines,
  type Rule,
} from "@touchstone/core";
import type { SchemaGap } from "../contracts/source.ts";
import { visible } from "../log.ts";
import type { SchemaCheckSettings } from "./settings.ts";

const MAX_LINE = 300;
/** How much of a tool's name is shown, in UTF-16 code units. */
const MAX_TOOL = 128;
/** How many things that are wrong stand on one line. */
const MAX_SHOWN = 3;
/** The part of a text for a model that tells what is wrong, in bytes of UTF-8: one screen. */
const MAX_MODEL_LINES = 4_096;

function shown(text: string): string {
  return visible(text, MAX_LINE);
}

function lineOf(issue: Issue): string {
  return describeIssue(issue, shown);
}

/** What is wrong: of several issues that come to one, what would be right. */
function describeFact(fact: Fact): string {
  const { issue, issues, kind, wanted, paths = [] } = fact;
  if (kind === "missing_any") {
    return `${paths.map(shown).join(" or ")} is required`;
  }
  if (wanted === undefined || kind !== "wanted" || issues === 1) return lineOf(issue);
  const received = describeReceived(fact);
  const got = received === undefined ? "" : `, got ${received}`;
  return `${issue.path === "" ? "(root)" : shown(issue.path)} must be ${shown(describeWanted(wanted))}${got}`;
}

function isUnion({ keyword }: Issue): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

/**
 * A check without the issues whose class is ignored, so that nobody is told to mend them. Those of a union stay
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
 * One line for logs and records: the first things that are wrong, and how many issues more there are. Of a
 * union that is not met it tells what the branch that came closest lacks, and not what each of them does.
 */
export function summarise(check: Pick<Check, "errors" | "truncated">): string {
  const { errors, truncated = 0 } = check;
  const facts = errors.some(isUnion) ? explainCheck(check).slice(0, MAX_SHOWN) : undefined;
  const lines = facts?.map(describeFact) ?? errors.slice(0, MAX_SHOWN).map(lineOf);
  const told = facts?.reduce((sum, { issues }) => sum + issues, 0) ?? lines.length;
  const more = errors.length - told + truncated;
  return more > 0 ? `${lines.join("; ")}; and ${more} more` : lines.join("; ");
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
    ? check.errors.slice(0, 1).map(lineOf)
    : modelLines(check, MAX_MODEL_LINES);
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
    `- ${shown(reason)}`,
    next,
  ].join("\n");
}

/** The text in the place of a structured result that was stopped. */
export function explainOutput(reason: string): string {
  return `output schema validation failed: ${reason}`;
}

/** Why a result was stopped or noted, in one line, for records and for {@link explainOutput}. */
export function outputReason(check: Pick<Check, "outcome" | "errors" | "truncated">): string {
  if (check.outcome === "missing") {
    return "tool declares an output schema but returned no structured content";
  }
  if (check.outcome === "unknown") return `cannot be checked: ${check.errors[0]?.message ?? ""}`;
  return summarise(check);
}
