import { encodeUtf8, type JsonRange } from "@touchstone/core";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const TYPE = encodeUtf8('"type"');
const TEXT = encodeUtf8('"text"');

function skipSpace(bytes: Uint8Array, at: number): number {
  let i = at;
  while ((bytes[i] ?? 0xff) <= 0x20) i += 1;
  return i;
}

/** The offset behind the string at `at`, or -1 where none stands there. */
function skipString(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return -1;
  let quote = bytes.indexOf(QUOTE, at + 1);
  for (;;) {
    let run = quote;
    while (bytes[run - 1] === BACKSLASH) run -= 1;
    if ((quote - run) % 2 === 0) return quote + 1;
    quote = bytes.indexOf(QUOTE, quote + 1);
  }
}

function isAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[at + i] !== text[i]) return false;
  return true;
}

/** The offset behind a member named `"type"` with the value `"text"`, or `"text"` with any string. */
function skipMember(bytes: Uint8Array, at: number, name: Uint8Array): number {
  if (!isAt(bytes, at, name)) return -1;
  const colon = skipSpace(bytes, at + name.length);
  if (bytes[colon] !== COLON) return -1;
  const value = skipSpace(bytes, colon + 1);
  if (name === TYPE && !isAt(bytes, value, TEXT)) return -1;
  return skipString(bytes, value);
}

/** The offset behind `{"type":"text","text":"…"}`, its members in either order, or -1. */
function skipBlock(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== OPEN_OBJECT) return -1;
  let i = skipSpace(bytes, at + 1);
  const order = isAt(bytes, i, TYPE) ? [TYPE, TEXT] : [TEXT, TYPE];
  for (const [index, name] of order.entries()) {
    if (index > 0) {
      if (bytes[i] !== COMMA) return -1;
      i = skipSpace(bytes, i + 1);
    }
    i = skipMember(bytes, i, name);
    if (i < 0) return -1;
    i = skipSpace(bytes, i);
  }
  return bytes[i] === CLOSE_OBJECT ? i + 1 : -1;
}

/**
 * Whether a range, in a text that is JSON, is an array of text content with no members beside `type`
 * and `text`: what most tools answer, and valid in every revision of MCP (Server Features, Tools,
 * Text Content). False says nothing.
 */
export function isTextContent(bytes: Uint8Array, { start }: JsonRange): boolean {
  if (bytes[start] !== OPEN_ARRAY) return false;
  let i = skipSpace(bytes, start + 1);
  if (bytes[i] === CLOSE_ARRAY) return true;
  for (;;) {
    i = skipBlock(bytes, i);
    if (i < 0) return false;
    i = skipSpace(bytes, i);
    if (bytes[i] === CLOSE_ARRAY) return true;
    if (bytes[i] !== COMMA) return false;
    i = skipSpace(bytes, i + 1);
  }
}
