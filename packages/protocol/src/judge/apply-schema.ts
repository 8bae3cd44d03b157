import {
  type Check,
  derivedIssue,
  type Issue,
  type JsonRange,
  locateJson,
  skipSpace,
} from "@touchstone/core/advanced";
import { CLOSE_ARRAY } from "../bytes.ts";
import type { Frame } from "../frame.ts";
import { compiledMessage, itemsKey } from "../messages/compiled.ts";
import type { MessageTable } from "../messages/message-table.ts";
import { BASE64_PATTERN } from "../messages/schema.ts";
import { FRAME_POINTERS } from "../plan.ts";
import { groupByItem, mergeItemFaults } from "./items.ts";
import type { Findings } from "./message-check.ts";
import type { MessagePart } from "./message-parts.ts";
import { isValidOutline } from "./outline.ts";
import { originalIssues, reduceValue } from "./reduced-value.ts";

/**
 * The depth of the message was already checked when the frame was read, so the message schemas set no further limit.
 */
const MAX_DEPTH = 1_000_000;

const NOT_BASE64 =
  "must be base64 with the standard alphabet and padding (RFC 4648, section 4), without data: or line breaks";

/** Turns an issue of a part into one of the message. */
function inMessage(issue: Issue, at: string): Issue {
  const { path, message, keyword, instancePath, params } = issue;
  const isBase64 = params?.["pattern"] === BASE64_PATTERN;
  const moved: Issue = {
    path: at + path,
    message: isBase64 ? NOT_BASE64 : message,
    rule: "protocol",
    ...(keyword === undefined ? {} : { keyword }),
    ...(instancePath === undefined ? {} : { instancePath: at + instancePath }),
    // Leaves out the params of the base64 pattern: sentences are built from params, and would say less than this
    // message.
    ...(params === undefined || isBase64 ? {} : { params }),
  };
  return derivedIssue(moved, issue);
}

/** Returns what violates a schema; undefined if nothing does, or if it could not be applied in time. */
function issuesOf(check: Check, at: string): { issues: Issue[]; more: number } | undefined {
  if (check.outcome !== "violation") return undefined;
  // An `if` only repeats that the branch it chose has failed.
  const shown = check.errors.filter(({ keyword }) => keyword !== "if");
  const issues = (shown.length > 0 ? shown : check.errors).map((issue) => inMessage(issue, at));
  return { issues, more: check.truncated ?? 0 };
}

/** Up to this size a part is checked whole and decoded first, because core reads that faster than bytes. */
const SHORT = 2_048;
const MAX_BYTES = Number.MAX_SAFE_INTEGER;

/** Limits on how much is examined and how much is listed. */
export interface ExaminationBounds {
  readonly maxBytes: number;
  readonly maxIssues: number;
}

/** Checks a value of a frame against the schema of a key; undefined if there is more to examine than allowed. */
function* checkValue(
  frame: Frame,
  table: MessageTable,
  key: string,
  range: JsonRange,
  { maxBytes, maxIssues }: ExaminationBounds,
): Generator<void, Check | undefined, void> {
  const limits = { maxBytes: MAX_BYTES, maxDepth: MAX_DEPTH, maxIssues };
  const schema = compiledMessage(table, key);
  const size = range.end - range.start;
  if (size <= SHORT && size <= maxBytes) return schema.validateText(frame.text(range), limits);
  const reduction = yield* reduceValue(frame, table, range, key, maxBytes);
  if (reduction === undefined) return undefined;
  const check = schema.validateText(reduction.bytes, limits);
  if (check.outcome !== "violation") return check;
  const { issues, more } = originalIssues(check.errors, reduction, maxIssues);
  return { ...check, errors: issues, truncated: (check.truncated ?? 0) + more };
}

/** Adds what a check has found; false if the check did not finish. */
function take(
  check: Check | undefined,
  at: string,
  findings: Findings,
  found: (issues: readonly Issue[], more: number) => void,
): boolean {
  if (check?.outcome === "pass") return true;
  const issues = check && issuesOf(check, at);
  if (issues === undefined) findings.unchecked = check === undefined ? "maxBytes" : "budget";
  else found(issues.issues, issues.more);
  return false;
}

function memberOf(frame: Frame, { start, end }: JsonRange, name: string): JsonRange | undefined {
  const plan = { members: { [name]: true as const }, maxDepth: MAX_DEPTH };
  const place = locateJson(frame.bytes.subarray(start, end), plan).members.get(`/${name}`);
  return place && { start: start + place.start, end: start + place.end };
}

/** Checks the items of a list, each separately. */
function* applyItems(
  frame: Frame,
  table: MessageTable,
  { range: result, list }: MessagePart,
  bounds: ExaminationBounds,
  findings: Findings,
): Generator<void, void, void> {
  if (list === undefined) return;
  const path = `/result/${list.member}`;
  const range = FRAME_POINTERS.includes(path)
    ? frame.range(path)
    : memberOf(frame, result, list.member);
  if (range === undefined) return;
  if (frame.bytes[skipSpace(frame.bytes, range.start + 1, range.end)] === CLOSE_ARRAY) return;
  const check = yield* checkValue(frame, table, itemsKey(list.item), range, bounds);
  take(check, path, findings, (issues) => {
    findings.items = mergeItemFaults(findings.items, groupByItem(issues, path));
  });
}

/**
 * Judges a part of a message by its definition, whatever its size. It does not parse what the definition does not
 * examine, or the content of long strings. Sets `unchecked` if there is more to examine than the bounds allow, or if
 * the check does not finish within its budget.
 */
export function* checkPart(
  frame: Frame,
  table: MessageTable,
  part: MessagePart,
  bounds: ExaminationBounds,
  findings: Findings,
): Generator<void, void, void> {
  const { at, definition, range } = part;
  if (!isValidOutline(frame, table, definition, at, range)) {
    const check = yield* checkValue(frame, table, definition, range, bounds);
    const passed = take(check, at, findings, (issues, more) => {
      findings.more += more;
      findings.issues.push(...issues);
    });
    if (!passed) return;
  }
  if (part.list !== undefined) yield* applyItems(frame, table, part, bounds, findings);
}
