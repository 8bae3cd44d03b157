import { encodeUtf8, positionsOf } from "@touchstone/core";
import { utf16Offsets } from "./utf16.ts";

const AT_BYTE = /, at byte (\d{1,15})$/;

/** A place in a text, as an editor counts. */
export interface TextPlace {
  /** UTF-16 offset. */
  readonly from: number;
  /** `line 2, column 7` */
  readonly place: string;
}

/** Where a byte of a text in UTF-8 stands for who sees lines. */
export function placeOfByte(text: string, offset: number): TextPlace {
  const { line, column } = positionsOf(encodeUtf8(text), [offset]).get(offset) ?? {};
  const from = utf16Offsets(text, [offset]).get(offset) ?? 0;
  return { from, place: `line ${line}, column ${column}` };
}

/** Returns the end of a message that tells the byte at which a text is at fault, taken from it; none if it tells none. */
export function splitByte(message: string): { readonly what: string; readonly offset?: number } {
  const [end, offset] = AT_BYTE.exec(message) ?? [];
  if (end === undefined) return { what: message };
  return { what: message.slice(0, -end.length), offset: Number(offset) };
}

/** Returns a message about a text, with the line and column instead of the byte that it tells. */
export function inLines(message: string, text: string): string {
  const { what, offset } = splitByte(message);
  return offset === undefined ? message : `${what}, at ${placeOfByte(text, offset).place}`;
}
