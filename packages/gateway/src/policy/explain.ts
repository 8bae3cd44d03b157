import {
  type Check,
  decodeUtf8,
  describeCheck,
  isOfLoop,
  modelLines,
  type Whole,
} from "@touchstone/core";
import type { SchemaGap } from "../contracts/source.ts";
import type { PinDecision } from "../features/pin/decide.ts";
import { visible } from "../util/log.ts";
import { isQueueFull } from "./decide.ts";

const MAX_LINE = 300;
/** Longest part of a tool's name that is shown, in UTF-16 code units. */
const MAX_TOOL = 128;
/** How many issues one line lists. */
const MAX_SHOWN = 3;
/** Longest part of a model's text about issues, in UTF-8 bytes: one screen. */
const MAX_MODEL_LINES = 4_096;

/**
 * Returns one line for logs and records: the first issues as sentences for people, and the number of the others. For
 * a union it says what the closest branch requires.
 * @param whole what the root is called
 */
export function summarise(check: Pick<Check, "errors" | "truncated">, whole?: Whole): string {
  const { errors, truncated = 0 } = check;
  const told = describeCheck(check, whole, MAX_SHOWN);
  const lines = told.map(({ text }) => visible(text, MAX_LINE)).join("; ");
  const more = errors.length - told.reduce((sum, { issues }) => sum + issues, 0) + truncated;
  return more > 0 ? `${lines}; and ${more} more` : lines;
}

/** Why a call was blocked without a check of its arguments. */
const WHY_NOT: ReadonlyMap<Check["outcome"], string> = new Map([
  ["uncompilable", "the tool's input schema cannot be used, so its arguments cannot be checked."],
  ["guard", "its arguments are over a limit, so they were not checked."],
  ["budget", "its arguments could not be checked."],
]);

/** What the model is told besides the issues. */
interface Beside {
  /** Whether the same arguments were blocked before. */
  readonly repeated?: boolean;
  /** The tool's input schema as its server wrote it, to show if it is small. */
  readonly schema?: Uint8Array | undefined;
}

const REPEATED =
  "The same arguments were blocked before, and will be again: change what is listed above before you call the tool.";

/** Largest schema that is shown, in bytes without white space, and the largest text to reduce to one. */
const MAX_SCHEMA = 2_048;
const MAX_SPACED = 16_384;

/** A string of a JSON text, or white space between its tokens. */
const STRING_OR_SPACE = /"(?:[^"\\]|\\.)*"|\s+/g;

/** Returns a schema without white space between its tokens; undefined if the result is not small. */
function shownSchema(text: Uint8Array | undefined): string | undefined {
  if (text === undefined || text.length > MAX_SPACED) return undefined;
  const written = decodeUtf8(text);
  const small = written.replaceAll(STRING_OR_SPACE, (part) => (part[0] === '"' ? part : ""));
  if (Buffer.byteLength(small) > MAX_SCHEMA) return undefined;
  return `The tool's input schema: ${visible(small, 2 * MAX_SCHEMA)}`;
}

/** Returns what a model is told beside what is wrong, a line each. */
export function besideLines({ repeated = false, schema }: Beside): readonly string[] {
  const shown = shownSchema(schema);
  return [...(repeated ? [REPEATED] : []), ...(shown === undefined ? [] : [shown])];
}

/**
 * Returns the text for a model whose arguments were blocked: what is wrong and what to do, on one screen. It names
 * places and types, but no values of the arguments.
 */
export function explainInput(tool: string, check: Check, beside: Beside = {}): string {
  const name = visible(JSON.stringify(tool.slice(0, MAX_TOOL)), 2 * MAX_TOOL);
  const isBroken = check.outcome === "uncompilable";
  const last = isBroken
    ? ["This is a fault of the server. Changing the arguments will not help."]
    : [
        ...(beside.repeated === true || isOfLoop(check)
          ? []
          : ["Correct the arguments and call the tool again."]),
        ...besideLines(beside),
      ];
  const why = WHY_NOT.get(check.outcome) ?? "its arguments do not match the tool's input schema.";
  const head = `The call of ${name} was blocked before it reached the server: ${why}`;
  const lines = isBroken
    ? describeCheck(check, "the arguments", 1).map(({ text }) => text)
    : modelLines(check, { maxBytes: MAX_MODEL_LINES, whole: "the arguments" });
  return [head, ...lines.map((line) => `- ${line}`), ...last].join("\n");
}

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
  const name = visible(JSON.stringify(tool.slice(0, MAX_TOOL)), 2 * MAX_TOOL);
  const why = WHY_UNSURE.get(check.outcome) ?? "it does not allow these arguments";
  const lines = modelLines(check, { maxBytes: MAX_MODEL_LINES, whole: "the arguments" });
  return [
    `The call of ${name} was blocked before it reached the server: this gateway's policy forbids it (${why}).`,
    ...lines.map((line) => `- ${line}`),
    "The operator sets the policy. Call the tool with arguments that the policy allows, or do not call it.",
  ].join("\n");
}

/** Returns the protocol's error message for a tool that the server does not list. */
export function unknownTool(tool: string): string {
  return `Unknown tool: ${visible(tool.slice(0, MAX_TOOL), 2 * MAX_TOOL)}`;
}

/** Returns the text for a model whose call was blocked because the tool's schema is unknown. */
export function explainUnknown(tool: string, gap: SchemaGap): string {
  const name = visible(JSON.stringify(tool.slice(0, MAX_TOOL)), 2 * MAX_TOOL);
  return [
    `The call of ${name} was blocked before it reached the server: it cannot be checked yet, because the tool's schemas are not known.`,
    `- ${visible(gap.reason, gap.httpRefusal === undefined ? MAX_LINE : 2 * MAX_LINE)}`,
    `Changing the arguments will not help. ${afterGap(gap)}`,
  ].join("\n");
}

/** Returns what to do about an unknown schema. */
function afterGap({ code, httpRefusal }: SchemaGap): string {
  if (code === "incomplete") {
    return "The operator can raise limits.tools, or set on_unknown_schema to allow for this server.";
  }
  const { status, retryAfterMs } = httpRefusal ?? {};
  if (status === 401 || status === 403) return "The server requires other credentials.";
  if (status === 400 || status === 404 || status === 410) {
    return "The server does not know this session: begin a new one with initialize, then call again.";
  }
  const when = retryAfterMs === undefined ? "in a few seconds" : `in ${retryAfterMs / 1000} s`;
  return `List the tools and call again ${when}; if this continues, check the server.`;
}

/**
 * Returns the text for a model whose call was blocked because the tool's current declaration is not approved.
 * @param tool the server's name for it, as the operator's commands take it
 * @param shown the name that the client knows
 */
export function explainPin(
  tool: string,
  server: string,
  { reason, state, next }: PinDecision,
  shown: string = tool,
): string {
  const name = visible(JSON.stringify(shown.slice(0, MAX_TOOL)), 2 * MAX_TOOL);
  const advice =
    next === "approve"
      ? `Changing the arguments will not help. ${howToApprove(tool, server)}`
      : "Changing the arguments will not help. Try again later; if this continues, tell the operator, who can see more in the log.";
  return [
    `The call of ${name} was blocked before it reached the server: ${PIN_STATES[state]}.`,
    `- ${visible(reason, MAX_LINE)}`,
    advice,
  ].join("\n");
}

/** Returns why a tool is missing in a list, and how to approve it; undefined if nobody can approve it. */
export function explainHeld(
  tool: string,
  server: string,
  { reason, state, next }: PinDecision,
): string | undefined {
  if (next !== "approve") return undefined;
  return `The tool is ${state}: ${visible(reason, MAX_LINE)}. ${howToApprove(tool, server)}`;
}

const PIN_STATES: Readonly<Record<PinDecision["state"], string>> = {
  held: "the tool is held",
  revoked: "the tool is revoked",
  unknown: "it is not known whether the tool is approved",
};

function howToApprove(tool: string, server: string): string {
  const command = visible(`touchstone approve ${shellWord(server)} ${shellWord(tool)}`, MAX_LINE);
  return `The operator can review the change in the console, and approve it there or with: ${command}`;
}

/** Returns a name as one word for a POSIX shell. */
function shellWord(name: string): string {
  const cut = name.slice(0, MAX_TOOL);
  return /^[\w.:/@-]+$/.test(cut) ? cut : `'${cut.replaceAll("'", "'\\''")}'`;
}

/** Returns the text that replaces a blocked structured result. */
export function explainOutput(reason: string): string {
  return `output schema validation failed: ${reason}`;
}

/** Why a result was blocked or noted, in one line, for records and for {@link explainOutput}. */
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
