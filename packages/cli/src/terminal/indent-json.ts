import { escapeUnsafe } from "./safe-text.ts";

const QUOTE = '"';
const BACKSLASH = "\\";
const OPEN = "{[";
const CLOSE = "}]";
const SPACE = " \t\r\n";

/**
 * Returns JSON text on several lines, in the layout of `JSON.stringify(value, null, 2)`, with every number, string
 * and key as written: no value is parsed. Characters that a terminal could act on become `\uXXXX` (RFC 8259, section
 * 7).
 * @param text valid JSON
 */
export function indentJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const character = text.charAt(at);
    const end = endOfToken(text, at);
    const isEmpty = OPEN.includes(character) && CLOSE.includes(text.charAt(skipSpace(text, end)));
    if (isEmpty) {
      at = skipSpace(text, end);
      parts.push(character, text.charAt(at));
      at += 1;
      continue;
    }
    if (CLOSE.includes(character)) {
      depth -= 1;
      parts.push(lineAt(depth));
    }
    parts.push(text.slice(at, end));
    if (OPEN.includes(character)) {
      depth += 1;
      parts.push(lineAt(depth));
    } else if (character === ",") parts.push(lineAt(depth));
    else if (character === ":") parts.push(" ");
    at = end;
  }
  return `${escapeUnsafe(parts.join(""), "json")}\n`;
}

const lineAt = (depth: number): string => `\n${"  ".repeat(depth)}`;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACE.includes(text.charAt(at))) at += 1;
  return at;
}

/** Returns the end of the string, punctuation mark or literal that begins at an offset. */
function endOfToken(text: string, from: number): number {
  const first = text.charAt(from);
  let at = from + 1;
  if (first === QUOTE) {
    while (at < text.length && text.charAt(at) !== QUOTE) {
      at += text.charAt(at) === BACKSLASH ? 2 : 1;
    }
    return at + 1;
  }
  if (isPunctuation(first)) return at;
  while (at < text.length && !isPunctuation(text.charAt(at)) && !SPACE.includes(text.charAt(at))) {
    at += 1;
  }
  return at;
}

const isPunctuation = (character: string): boolean => "{}[],:".includes(character);
