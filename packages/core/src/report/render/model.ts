import { cutText, plainLine, quote, quotePointer, utf8Length } from "../../json/quote.ts";
import { type Check, isSchemaLoop } from "../../result.ts";
import { explainWithin } from "../explain/explain.ts";
import { joinMisplaced } from "../explain/misplaced.ts";
import type { RootName } from "../explain/sentence.ts";
import { engineErrorOf, nativeOf } from "../issues/issue.ts";
import { SuggestionLookup } from "../issues/suggestion-lookup.ts";
import { adviceFor, type IsRequiredAt } from "./advice.ts";
import { issuesAfterMove } from "./issues-after-move.ts";

const MAX_LINES = 20;
const MAX_LINE = 500;
const DEFAULT_BYTES = 4_096;
const MIN_BYTES = 1_024;
const MAX_BYTES = 16_384;

/** The subject of a text for a model, and its maximum length. */
export interface ModelTextOptions {
  /** The tool whose arguments were checked. Without it, the text refers to a value. */
  readonly tool?: string;
  /** Maximum bytes of UTF-8, from 1024 to 16,384. Default 4096. */
  readonly maxBytes?: number;
}

function size(value: number | undefined): number {
  if (value === undefined || !Number.isFinite(value)) return DEFAULT_BYTES;
  return Math.min(MAX_BYTES, Math.max(MIN_BYTES, Math.floor(value)));
}

type Explained = Pick<Check, "outcome" | "errors" | "suggestions" | "truncated">;

const LOOP_LINE =
  "The schema refers to itself for the same value, and the check did not end. This is a fault of the server.";

function guardLine(check: Explained): string | undefined {
  const [issue] = check.errors;
  if (issue === undefined) return undefined;
  const message = plainLine(nativeOf(issue));
  if (check.outcome === "guard") {
    const what = issue.keyword === "maxDepth" ? "Nest less deeply" : "Send less";
    return `${what}: ${message}.`;
  }
  if (isSchemaLoop(check)) return LOOP_LINE;
  if (check.outcome === "budget") return `Send a simpler value: ${message}.`;
  return undefined;
}

/** Options of {@link modelLines}. */
export interface ModelLinesOptions {
  /** Maximum bytes of UTF-8. Default 4096. */
  readonly maxBytes?: number;
  /**
   * Returns whether a property that is `null` or `""` is required, if the schema requires it only in some cases.
   * Without this function, the advice is to leave each of those out if it is not required. Called in the order of the
   * lines, only if there is no better advice, and with the pointer that the line names.
   */
  readonly isRequired?: IsRequiredAt | undefined;
  /** The name for the root, which has no path. Default `the value`. */
  readonly whole?: RootName;
}

/**
 * Returns what is wrong and what to do about it, one line for each thing, in at most 20 lines and `maxBytes` bytes of
 * UTF-8; if there is more, the last line counts it. Each line stands by itself: no line breaks, no control, hidden or
 * bidirectional characters, and no markup, whatever the schema and the value contain. Shows no value of the payload,
 * only places, types and sizes; allowed values come from the schema.
 */
export function modelLines(check: Explained, options: ModelLinesOptions = {}): readonly string[] {
  const { maxBytes = DEFAULT_BYTES, isRequired, whole = "the value" } = options;
  const only = guardLine(check);
  if (only !== undefined) return [only];
  const lookup = new SuggestionLookup();
  const facts = joinMisplaced(explainWithin(check, lookup), lookup);
  const isExplained = facts.some(({ error }) => error !== undefined);
  const lines: string[] = [];
  let left = maxBytes - 64;
  let counted = 0;
  const add = (line: string): boolean => {
    const short = cutText(line, MAX_LINE);
    left -= utf8Length(short) + 1;
    if (left < 0 || lines.length >= MAX_LINES) return false;
    lines.push(short);
    return true;
  };
  for (const fact of facts) {
    if (!add(adviceFor(fact, lookup, whole, isRequired))) break;
    counted += fact.issues;
    for (const line of issuesAfterMove(fact, lookup, whole)) add(line);
  }
  const more = check.errors.length + (check.truncated ?? 0) - counted;
  if (more > 0) lines.push(`There ${more === 1 ? "is 1 more issue" : `are ${more} more issues`}.`);
  // The fact already covers the suggestions for its issue, unless the issue's source is not known.
  const known = new Set(
    check.errors.filter((issue) => engineErrorOf(issue)).map(({ path }) => path),
  );
  for (const { path } of facts) known.add(path);
  for (const { path, message } of check.suggestions) {
    if (known.has(path) && isExplained) continue;
    if (!add(`Hint: ${quotePointer(path, whole)}: ${plainLine(message)}`)) break;
  }
  return lines;
}

/** Returns the result of the check as a sentence. It must not say that an unchecked value does not match. */
function headOf({ outcome }: Explained, name: string | undefined): string {
  const isOne = name === undefined;
  const what = isOne ? "The value" : `The arguments of ${name}`;
  if (outcome === "guard") {
    return isOne
      ? `${what} is over a limit, so it was not checked.`
      : `${what} are over a limit, so they were not checked.`;
  }
  if (outcome === "budget") return `${what} could not be checked.`;
  return isOne ? `${what} does not match its schema.` : `${what} do not match its input schema.`;
}

/**
 * Returns a failed check as a short text for a language model (MCP 2025-11-25, server/tools, "Error Handling": tool
 * execution errors say what to correct): a head, {@link modelLines} and what to do next, at most 23 lines. Returns
 * the empty text for a check that passed.
 */
export function renderForModel(check: Explained, options: ModelTextOptions = {}): string {
  if (check.errors.length === 0) return "";
  // An untyped caller may pass null, or no name.
  const { tool, maxBytes } = options ?? {};
  const name = typeof tool === "string" ? quote(tool, 128) : undefined;
  if (check.outcome === "uncompilable") {
    const whose = name === undefined ? "The schema" : `The input schema of ${name}`;
    return `${whose} cannot be used, so nothing was checked. This is a fault of the server; changing the arguments will not help.`;
  }
  const head = headOf(check, name);
  const advice =
    name === undefined || isSchemaLoop(check)
      ? []
      : ["Correct the arguments and call the tool again."];
  const room = size(maxBytes) - utf8Length([head, ...advice].join("\n")) - 2;
  const whole = name === undefined ? "the value" : "the arguments";
  const lines = modelLines(check, { maxBytes: room, whole }).map((line) => `- ${line}`);
  return [head, ...lines, ...advice].join("\n");
}
