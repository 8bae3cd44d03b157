import { type JsonRange, jsonText, scanJson } from "@touchstone/core/advanced";
import { BACKSLASH, CLOSE_OBJECT, COLON, COMMA, QUOTE } from "./bytes.ts";

const ID = '"id"';
const VERSION = ['"jsonrpc"', '"2.0"'];
/** How much of the end of a message is read: more than the longest id that is read. */
const READ_BYTES = 65_536;

/**
 * Returns the position of a message's id, found from the last bytes of the message alone: many servers write their
 * responses as `{"result":…,"jsonrpc":"2.0","id":5}`. Undefined unless the message ends with a string or number under
 * `id` as its last member, or as its second-to-last before `"jsonrpc":"2.0"`.
 *
 * It reads backwards from the end of the message, which is outside every string. So in any JSON text, what it
 * finds is a member of the message itself, wherever the start of the text is cut off. Reads 64 KiB at most.
 * @param tail as much of the end of the message as there is; nothing of the message may be missing after it
 */
export function trailingId(tail: Uint8Array): JsonRange | undefined {
  const from = Math.max(0, tail.length - READ_BYTES);
  const range = lastId(tail.subarray(from));
  return range && { start: from + range.start, end: from + range.end };
}

function lastId(tail: Uint8Array): JsonRange | undefined {
  const close = skipSpaceBack(tail, tail.length) - 1;
  if (tail[close] !== CLOSE_OBJECT) return undefined;
  let member = memberBefore(tail, close);
  if (member && member.key === VERSION[0] && jsonText(tail, member.value) === VERSION[1]) {
    member = memberBefore(tail, member.comma);
  }
  if (member?.key !== ID) return undefined;
  const { value } = member;
  const first = tail[value.start];
  const named = first === QUOTE || (first !== undefined && isNumberByte(first));
  const { error } = scanJson(tail.subarray(value.start, value.end));
  return named && error === undefined ? value : undefined;
}

interface Member {
  /** The source text of the key, with its quotes. */
  readonly key: string;
  readonly value: JsonRange;
  /** The position of the comma before the key. */
  readonly comma: number;
}

/** Returns the member that ends at `end`, has a string or number as its value and follows another member. */
function memberBefore(bytes: Uint8Array, end: number): Member | undefined {
  const value = scalarBefore(bytes, skipSpaceBack(bytes, end));
  if (value === undefined) return undefined;
  const colon = skipSpaceBack(bytes, value.start) - 1;
  if (bytes[colon] !== COLON) return undefined;
  const key = stringBefore(bytes, skipSpaceBack(bytes, colon));
  if (key === undefined) return undefined;
  const comma = skipSpaceBack(bytes, key.start) - 1;
  return bytes[comma] === COMMA ? { key: jsonText(bytes, key), value, comma } : undefined;
}

function scalarBefore(bytes: Uint8Array, end: number): JsonRange | undefined {
  if (bytes[end - 1] === QUOTE) return stringBefore(bytes, end);
  let start = end;
  while (start > 0 && isNumberByte(bytes[start - 1] as number)) start -= 1;
  return start === end ? undefined : { start, end };
}

/** Returns the string whose closing quote is just before `end`; undefined if its beginning is cut off. */
function stringBefore(bytes: Uint8Array, end: number): JsonRange | undefined {
  if (bytes[end - 1] !== QUOTE) return undefined;
  for (let at = end - 2; at > 0; at -= 1) {
    if (bytes[at] !== QUOTE) continue;
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes === 0) return { start: at, end };
    // A quote that opens a string has no backslash in front of it.
    if (escapes % 2 === 0) return undefined;
    at -= escapes;
  }
  return undefined;
}

function skipSpaceBack(bytes: Uint8Array, end: number): number {
  let at = end;
  while (at > 0 && isSpace(bytes[at - 1] as number)) at -= 1;
  return at;
}

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Digits, `+`, `-`, `.`, `E` and `e`; whether they form a number is checked later. */
const isNumberByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e ||
  byte === 0x45 ||
  byte === 0x65;
