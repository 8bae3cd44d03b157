import { UNSAFE_CHARACTERS } from "./unsafe.ts";

/** Cuts text to `length` UTF-16 code units, including a final `…`; never inside a surrogate pair. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 2);
  const end = last >= 0xd800 && last < 0xdc00 ? length - 2 : length - 1;
  return `${text.slice(0, end)}…`;
}

/** Returns the size of text in UTF-8. A lone surrogate takes three bytes. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

const UNSAFE = new RegExp(`[${UNSAFE_CHARACTERS}]`, "gu");
/** Characters that begin a tag, a code span, a link or an image if the reader treats text as Markdown. */
const MARKUP = /[<`]|[[\]](?=\()|!(?=\[)/g;
/** Matches pointers that need no quotes, because nothing in them can be read as a sentence. */
const PLAIN_POINTER = /^[\w$.@/~-]*$/;

const MAX_POINTER = 160;

/** Returns each UTF-16 code unit of a text as `\uXXXX`. */
export function unicodeEscapes(character: string): string {
  let escaped = "";
  for (let i = 0; i < character.length; i++) {
    escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}

/**
 * Escapes the characters that a reader could act on or not see, as `\uXXXX`.
 * @param by returns the replacement for a character
 */
export function escapeUnsafe(
  text: string,
  by: (character: string) => string = unicodeEscapes,
): string {
  return text.replace(UNSAFE, (character) => by(character));
}

/** Returns a JSON text as one line. Escapes what {@link escapeUnsafe} does, and Markdown and tags. */
function neutral(json: string): string {
  return escapeUnsafe(json).replace(MARKUP, unicodeEscapes);
}

/**
 * Returns untrusted text as a JSON string (RFC 8259, section 7): on one line, with every character visible and no
 * markup, cut with `…` after `max` UTF-16 code units of the text.
 */
export function quote(text: string, max: number = 64): string {
  return neutral(JSON.stringify(cutText(text, max)));
}

/** Returns the beginning of a value's JSON text: at least `max` code units if it is that long. */
function beginning(value: unknown, max: number): string {
  if (typeof value === "string") return JSON.stringify(cutText(value, max));
  if (typeof value !== "object" || value === null) return String(value);
  const isArray = Array.isArray(value);
  const members: Iterable<readonly [string, unknown]> = isArray
    ? value.map((item: unknown) => ["", item] as const)
    : Object.entries(value);
  let text = "";
  for (const [name, member] of members) {
    if (text.length > max) break;
    const key = isArray ? "" : `${JSON.stringify(cutText(name, max))}:`;
    text += `${text === "" ? "" : ","}${key}${beginning(member, max - text.length)}`;
  }
  return isArray ? `[${text}]` : `{${text}}`;
}

/** Returns an untrusted JSON value as one line, like {@link quote}, cut after `max` code units. */
export function quoteValue(value: unknown, max: number = 80): string {
  if (typeof value === "string") return quote(value, max);
  return cutText(neutral(beginning(value, max)), max);
}

/** Returns our own words, which may contain untrusted text, on one line, without markup, and cut. */
export function plainLine(text: string, max: number = 200): string {
  return neutral(cutText(text, max));
}

/**
 * Returns an RFC 6901 pointer for display: unchanged if it only has letters, digits and `_ $ . @ ~ - /`, else quoted.
 * @param whole the name of the root, whose pointer is empty
 */
export function quotePointer(pointer: string, whole: string = "the value"): string {
  if (pointer === "") return whole;
  return PLAIN_POINTER.test(pointer) && pointer.length <= MAX_POINTER
    ? pointer
    : quote(pointer, MAX_POINTER);
}

/** Returns a list in words: `a`, `a or b`, `a, b or c`. Lists at most `most` and counts the others. */
export function wordList(words: readonly string[], most: number, joint: string = "or"): string {
  if (words.length > most) {
    return `${words.slice(0, most).join(", ")} and ${words.length - most} more`;
  }
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${joint} ${last}`;
}
