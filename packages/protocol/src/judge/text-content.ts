import { encodeUtf8, skipLongQuoted, skipSpace } from "@touchstone/core/advanced";
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "../bytes.ts";

const TYPE = encodeUtf8('"type"');
const TEXT = encodeUtf8('"text"');

function isAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[at + i] !== text[i]) return false;
  return true;
}

/** Returns the offset after a member named `"type"` with the value `"text"`, or `"text"` with any string. */
function skipMember(bytes: Uint8Array, at: number, name: Uint8Array): number {
  if (!isAt(bytes, at, name)) return -1;
  const end = bytes.length;
  const colon = skipSpace(bytes, at + name.length, end);
  if (bytes[colon] !== COLON) return -1;
  const value = skipSpace(bytes, colon + 1, end);
  if (name === TYPE && !isAt(bytes, value, TEXT)) return -1;
  return bytes[value] === QUOTE ? skipLongQuoted(bytes, value) : -1;
}

/** Returns the offset after `{"type":"text","text":"…"}`, with its members in either order, or -1. */
function skipBlock(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== OPEN_OBJECT) return -1;
  const end = bytes.length;
  let i = skipSpace(bytes, at + 1, end);
  const first = isAt(bytes, i, TYPE) ? TYPE : TEXT;
  i = skipMember(bytes, i, first);
  if (i < 0) return -1;
  i = skipSpace(bytes, i, end);
  if (bytes[i] !== COMMA) return -1;
  i = skipMember(bytes, skipSpace(bytes, i + 1, end), first === TYPE ? TEXT : TYPE);
  if (i < 0) return -1;
  i = skipSpace(bytes, i, end);
  return bytes[i] === CLOSE_OBJECT ? i + 1 : -1;
}

/**
 * Returns whether the value at `start`, in a text that is JSON, is an array of text content with no members besides
 * `type` and `text`. Most tools return this, and it is valid in every revision of MCP (Server Features, Tools, Text
 * Content). False proves nothing.
 */
export function isTextContent(bytes: Uint8Array, start: number): boolean {
  if (bytes[start] !== OPEN_ARRAY) return false;
  const end = bytes.length;
  let i = skipSpace(bytes, start + 1, end);
  if (bytes[i] === CLOSE_ARRAY) return true;
  for (;;) {
    i = skipBlock(bytes, i);
    if (i < 0) return false;
    i = skipSpace(bytes, i, end);
    if (bytes[i] === CLOSE_ARRAY) return true;
    if (bytes[i] !== COMMA) return false;
    i = skipSpace(bytes, i + 1, end);
  }
}
