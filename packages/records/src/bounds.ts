import type { Issue } from "@touchstone/core";

/** Longest server, tool or client name, and longest id, in UTF-16 code units. */
export const MAX_NAME_LENGTH = 256;
/** Longest `reason` of a record, in UTF-16 code units. */
export const MAX_REASON_LENGTH = 2048;
/** Most records that are built or written in one turn of the event loop: a list may change thousands of tools. */
export const MAX_RECORDS_OF_TURN = 250;
/** Largest `issues` of a record, in bytes of UTF-8 JSON text. */
export const MAX_ISSUES_BYTES = 16_384;
/** Most bytes of the arguments of a failed call that a record keeps. */
export const MAX_FAILED_ARGUMENTS = 4_096;
/** How much of a body to read beyond its bound: redaction makes room for what follows. */
export const REDACTION_MARGIN_BYTES = 16_384;
/**
 * How many bytes of the arguments of a failed call its record needs: with one more byte, it is known that the text is
 * cut.
 */
export const FAILED_ARGUMENTS_READ_BYTES: number =
  MAX_FAILED_ARGUMENTS + REDACTION_MARGIN_BYTES + 1;

const MAX_BRIEF_TEXT = 256;
const MAX_VALUE_DEPTH = 8;
const MAX_VALUE_NODES = 2048;

/**
 * Cuts text to a length and ends a cut text in `…`. Characters that a database column cannot return unchanged
 * (U+0000, lone surrogates) become U+FFFD, so that a stored text equals the hashed one.
 *
 * @param maxLength in UTF-16 code units, including the `…`; at least 1
 */
export function boundText(text: string, maxLength: number): string {
  if (text.length <= maxLength && text.isWellFormed() && !text.includes("\u0000")) return text;
  let kept = text;
  if (text.length > maxLength) {
    kept = `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
  }
  return wellFormed(kept).replaceAll("\u0000", "\uFFFD");
}

/** Cuts a name as records keep it. Filters cut their names in the same way, so that a cut name is still found. */
export function boundName(text: string): string {
  return boundText(text, MAX_NAME_LENGTH);
}

/** Cuts text like {@link boundText}, to a number of UTF-8 bytes, including the `…`; at least 3. */
export function boundBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text, "utf8") <= maxBytes) return boundText(text, Math.max(1, text.length));
  const bytes = Buffer.from(text, "utf8");
  const end = characterStart(bytes, maxBytes - Buffer.byteLength("…", "utf8"));
  return boundText(`${bytes.toString("utf8", 0, end)}…`, maxBytes);
}

/** Returns the start of the character that contains a position in UTF-8: its further bytes are 10xxxxxx. */
export function characterStart(bytes: Uint8Array, place: number): number {
  let start = Math.max(0, place);
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}

/**
 * Returns the issues that a record keeps: from the first on, as many as fit into {@link MAX_ISSUES_BYTES} of JSON
 * text. An issue that does not fit is kept with only `path`, `message`, `rule` and `keyword`, cut to 256 characters
 * each, if that fits. `params` are kept as plain JSON, at most 8 levels deep; values that JSON cannot represent
 * become text or are left out.
 *
 * @returns the issues to keep and how many were dropped from the end
 */
export function boundIssues(issues: readonly Issue[]): {
  readonly issues: readonly Issue[];
  readonly dropped: number;
} {
  const kept: Issue[] = [];
  let left = MAX_ISSUES_BYTES - "[]".length;
  for (const issue of issues) {
    const fitting = firstFitting(issue, left);
    if (fitting === undefined) {
      break;
    }
    kept.push(fitting.issue);
    left -= fitting.bytes + ",".length;
  }
  return { issues: kept, dropped: issues.length - kept.length };
}

function firstFitting(
  issue: Issue,
  left: number,
): { readonly issue: Issue; readonly bytes: number } | undefined {
  for (const form of [wholeIssue, briefIssue]) {
    const candidate = form(issue);
    const bytes = candidate && Buffer.byteLength(JSON.stringify(candidate), "utf8");
    if (candidate !== undefined && bytes !== undefined && bytes <= left) {
      return { issue: candidate, bytes };
    }
  }
  return undefined;
}

function wholeIssue(issue: Issue): Issue | undefined {
  return plain(issue, { depth: MAX_VALUE_DEPTH + 2, budget: { nodes: MAX_VALUE_NODES } }) as
    | Issue
    | undefined;
}

function briefIssue(issue: Issue): Issue {
  return {
    path: boundText(issue.path, MAX_BRIEF_TEXT),
    message: boundText(issue.message, MAX_BRIEF_TEXT),
    rule: issue.rule,
    ...(issue.keyword === undefined ? {} : { keyword: boundText(issue.keyword, MAX_BRIEF_TEXT) }),
  };
}

interface Limits {
  readonly depth: number;
  readonly budget: { nodes: number };
}

const TOO_LARGE = Symbol("too large");

/** Returns a copy in plain JSON values; undefined if it is larger than a record may hold. */
function plain(value: unknown, limits: Limits): unknown {
  const copy = copyOf(value, limits);
  return copy === TOO_LARGE ? undefined : copy;
}

function copyOf(value: unknown, { depth, budget }: Limits): unknown {
  budget.nodes -= 1;
  if (depth === 0 || budget.nodes < 0) {
    return TOO_LARGE;
  }
  switch (typeof value) {
    case "string":
      return value.length > MAX_ISSUES_BYTES ? TOO_LARGE : wellFormed(value);
    case "number":
      return Number.isFinite(value) ? value + 0 : String(value);
    case "boolean":
      return value;
    case "bigint":
      return boundText(String(value), MAX_BRIEF_TEXT);
    case "object":
      return value === null ? null : copyOfObject(value, { depth: depth - 1, budget });
    default:
      return undefined;
  }
}

function copyOfObject(value: object, limits: Limits): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      const copy = copyOf(item, limits);
      if (copy === TOO_LARGE) {
        return TOO_LARGE;
      }
      items.push(copy ?? null);
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const copy = copyOf((value as Readonly<Record<string, unknown>>)[key], limits);
    if (copy === TOO_LARGE) {
      return TOO_LARGE;
    }
    if (copy !== undefined) {
      members.push([wellFormed(key), copy]);
    }
  }
  // `fromEntries` defines own properties, so a key `__proto__` remains an ordinary key.
  return Object.fromEntries(members);
}
