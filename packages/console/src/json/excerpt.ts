import { decodeUtf8, encodeUtf8, locatePointers } from "@touchstone/core/advanced";
import { printTree, readTree } from "./tree.ts";

/** A part of a JSON text around a location. The three texts joined are the part. */
export interface Excerpt {
  readonly before: string;
  /** The place. */
  readonly marked: string;
  readonly after: string;
  /** Whether there is a value at the pointer; if not, the location is what should contain it. */
  readonly found: boolean;
  /** Whether the text continues before the part. */
  readonly moreBefore: boolean;
  /** Whether the text continues after the part. */
  readonly moreAfter: boolean;
}

/** Maximum number of lines shown of the location itself, from its start. */
const MAX_MARKED_LINES = 30;
/** Lines shown before and after the location. */
const AROUND = 8;

function lastLines(text: string, count: number): string {
  return text.split("\n").slice(-count).join("\n");
}

function firstLines(text: string, count: number): string {
  return text.split("\n").slice(0, count).join("\n");
}

/**
 * Returns the part of a JSON text (RFC 8259) around the value at a pointer (RFC 6901), indented, with the value's
 * key. Undefined if the text is not JSON. Never throws.
 */
export function excerptAt(text: string, pointer: string): Excerpt | undefined {
  const read = readTree(text);
  if (!read.ok) return undefined;
  const printed = printTree(read.tree);
  const bytes = encodeUtf8(printed);
  const place = locatePointers(bytes, [pointer]).get(pointer);
  if (place === undefined) return undefined;
  const start = decodeUtf8(bytes, 0, (place.key ?? place.value).start).length;
  const end = start + decodeUtf8(bytes, (place.key ?? place.value).start, place.value.end).length;
  const [before, whole, after] = [
    printed.slice(0, start),
    printed.slice(start, end),
    printed.slice(end),
  ];
  const marked = firstLines(whole, MAX_MARKED_LINES);
  const shownBefore = lastLines(before, AROUND + 1);
  const shownAfter = marked.length < whole.length ? "" : firstLines(after, AROUND + 1);
  return {
    before: shownBefore,
    marked,
    after: shownAfter,
    found: place.found,
    moreBefore: shownBefore.length < before.length,
    moreAfter: marked.length + shownAfter.length < whole.length + after.length,
  };
}
