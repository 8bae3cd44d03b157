import { type JsonRange, parseJson, skipSpace } from "@touchstone/core/advanced";
import type { Edit } from "@touchstone/protocol/advanced";

const OPEN_OBJECT = 0x7b;

/** Returns whether a value in a text is a JSON object. */
export function isObjectAt(bytes: Uint8Array, { start }: JsonRange): boolean {
  return bytes[start] === OPEN_OBJECT;
}

/** Returns the edit that puts members in front of those of an object. @param members source text, without braces */
export function membersInFront(bytes: Uint8Array, object: JsonRange, members: string): Edit {
  const [start, end] = [object.start + 1, object.end - 1];
  const comma = skipSpace(bytes, start, end) === end ? "" : ",";
  return { range: { start, end: start }, text: `${members}${comma}` };
}

/** Returns the edits that put texts around a value. */
export function around({ start, end }: JsonRange, before: string, after: string): readonly Edit[] {
  return [
    { range: { start, end: start }, text: before },
    { range: { start: end, end }, text: after },
  ];
}

/** Returns edits of a part of a text as edits of the whole text. */
export function shifted(edits: readonly Edit[], by: number): readonly Edit[] {
  return edits.map(({ range, text }) => ({
    range: { start: range.start + by, end: range.end + by },
    text,
  }));
}

/** Longer values are not read: nothing that the bridge looks for is so long. */
const MAX_VALUE = 16_384;

/** Returns a short value in a text; undefined if there is none, or if it is longer than 16 KiB. */
export function shortValueAt(bytes: Uint8Array, range: JsonRange | undefined): unknown {
  if (range === undefined || range.end - range.start > MAX_VALUE) return undefined;
  const parsed = parseJson(bytes.subarray(range.start, range.end));
  return parsed.ok ? parsed.value : undefined;
}
