import { encodeUtf8, positionsOf } from "@touchstone/core/advanced";
import { utf16Offsets } from "./utf16.ts";

const AT_BYTE = /, at byte (\d{1,15})$/;

/** A place in a text, counted as an editor counts. */
export interface TextPlace {
  /** UTF-16 offset. */
  readonly from: number;
  /** `line 2, column 7` */
  readonly place: string;
}

/** Returns the line and column of a byte in a UTF-8 text. */
export function placeOfByte(text: string, offset: number): TextPlace {
  const { line, column } = positionsOf(encodeUtf8(text), [offset]).get(offset) ?? {};
  const from = utf16Offsets(text, [offset]).get(offset) ?? 0;
  return { from, place: `line ${line}, column ${column}` };
}

/** Splits a message at the byte position that ends it; without `offset` if it names none. */
export function splitByte(message: string): { readonly what: string; readonly offset?: number } {
  const [end, offset] = AT_BYTE.exec(message) ?? [];
  if (end === undefined) return { what: message };
  return { what: message.slice(0, -end.length), offset: Number(offset) };
}

/** Returns a message about a text, with line and column instead of the byte position. */
export function withLineNumbers(message: string, text: string): string {
  const { what, offset } = splitByte(message);
  return offset === undefined ? message : `${what}, at ${placeOfByte(text, offset).place}`;
}
