import { scanJson } from "../../json/scan.ts";
import { explanationOf } from "../../keywords/index.ts";
import type { Check, Issue } from "../../result.ts";
import { locatePointers } from "../explain/locate.ts";
import { positionsOf, type TextPosition } from "../explain/positions.ts";
import { fieldPath } from "../issues/issue.ts";

/** A checked document, with its text if the report should show places in it. */
export interface CheckedDocument {
  /** The file name, or another name for the document. */
  readonly name: string;
  readonly check: Check;
  /** The text that was checked. */
  readonly bytes?: Uint8Array;
  /** The line of the file on which the text begins, from 1. Default 1. */
  readonly line?: number;
}

/** A document that could not be read, and so was not checked. */
export interface UnreadDocument {
  /** The file name, or another name for the document. */
  readonly name: string;
  /** The reason, in a sentence. */
  readonly unread: string;
}

/** A document in a report, whether or not it could be checked. */
export type ReportedDocument = CheckedDocument | UnreadDocument;

/** The rule in reports for a document that could not be read; it is not a class of issues in a value. */
export const UNREADABLE_RULE = "file";

/** An issue of a document, with its location. */
export interface LocatedIssue {
  readonly issue: Issue;
  readonly level: "error" | "warning";
  /** The location of the issue in the text: the key of an unknown property, else the value. */
  readonly start?: TextPosition;
  readonly end?: TextPosition;
  /** The same location as byte offsets, `[from, to)`. */
  readonly from?: number;
  readonly to?: number;
}

/** Returns whether an issue is about a member's key, not its value. */
export function isAboutKey({ keyword, rule }: Issue): boolean {
  const { about } = explanationOf(keyword);
  // A missing member has no key in the text.
  return rule === "duplicate" || (about !== undefined && about !== "missingProperty");
}

/** A requested place: that of a value, or of the key of a member. */
export interface RequestedPlace {
  readonly path: string;
  readonly isKey: boolean;
}

/** The location of a place in a text. */
export type Span = Required<Pick<LocatedIssue, "start" | "end" | "from" | "to">>;

function offsetsOf(
  bytes: Uint8Array,
  wanted: readonly RequestedPlace[],
): (readonly [number, number])[] {
  const { error } = scanJson(bytes);
  if (error !== undefined) return wanted.map(() => [error.offset, error.offset]);
  const places = locatePointers(bytes, new Set(wanted.map(({ path }) => path)));
  return wanted.map(({ path, isKey }): readonly [number, number] => {
    const { value, key, found } = places.get(path) ?? { value: { start: 0, end: 0 }, found: false };
    if (key !== undefined && isKey) return [key.start, key.end];
    // A missing property is located at the start of its object.
    return found ? [value.start, value.end] : [value.start, Math.min(value.start + 1, value.end)];
  });
}

/**
 * Locates places in a document's text, in the order of the request. If the text is not valid JSON, all are at the
 * syntax error. Undefined if the text is not known.
 */
export function locatePlaces(
  { bytes, line = 1 }: CheckedDocument,
  wanted: readonly RequestedPlace[],
): readonly Span[] | undefined {
  // An untyped caller may pass a string.
  if (!(bytes instanceof Uint8Array)) return undefined;
  const offsets = offsetsOf(bytes, wanted);
  const positions = positionsOf(bytes, offsets.flat());
  const position = (offset: number): TextPosition => {
    const at = positions.get(offset) ?? { line: 1, column: 1 };
    return { line: at.line + line - 1, column: at.column };
  };
  return offsets.map(([from, to]) => ({ from, to, start: position(from), end: position(to) }));
}

/** Returns all errors and warnings of a document in their order, each with its location if the text is known. */
export function locateIssues(document: CheckedDocument): readonly LocatedIssue[] {
  const { errors, warnings } = document.check;
  const issues = [...errors, ...warnings];
  const wanted = issues.map((issue) => ({ path: fieldPath(issue), isKey: isAboutKey(issue) }));
  const spans = locatePlaces(document, wanted);
  return issues.map((issue, i) => ({
    issue,
    level: i < errors.length ? "error" : "warning",
    ...spans?.[i],
  }));
}
