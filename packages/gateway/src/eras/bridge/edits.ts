import { type JsonRange, jsonText } from "@touchstone/core/advanced";
import type { Edit } from "@touchstone/protocol/advanced";

const OPEN_OBJECT = 0x7b;

/** Returns whether a value in a text is a JSON object. */
export function isObjectAt(bytes: Uint8Array, { start }: JsonRange): boolean {
  return bytes[start] === OPEN_OBJECT;
}

/** Returns the edit that puts members in front of those of an object. @param members source text, without braces */
export function membersInFront(bytes: Uint8Array, object: JsonRange, members: string): Edit {
  const inside = { start: object.start + 1, end: object.end - 1 };
  const comma = jsonText(bytes, inside).trim() === "" ? "" : ",";
  return { range: { start: inside.start, end: inside.start }, text: `${members}${comma}` };
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
