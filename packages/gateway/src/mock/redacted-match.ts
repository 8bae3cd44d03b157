import { REDACTED } from "@touchstone/util";

const WHOLE = JSON.stringify(REDACTED);
/** A removed secret in a string, with the quotes that it had if the string itself is JSON. */
const REMOVED = /(?:\\")?\[redacted\](?:\\")?/;

/**
 * Returns whether a value is one from which a capture may have removed secrets: a string that was removed as a whole
 * stands for any value, a removed part of a string for any text. Everything else must be the same.
 * @param pattern the recorded value, as comparable text
 * @param text the value, as comparable text
 */
export function matchesRedacted(pattern: string, text: string): boolean {
  let at = 0;
  for (let from = 0; from < pattern.length; ) {
    if (pattern[from] !== '"') {
      if (pattern[from] !== text[at]) return false;
      from += 1;
      at += 1;
      continue;
    }
    const end = stringEnd(pattern, from);
    const token = pattern.slice(from, end);
    from = end;
    if (!token.includes(REDACTED)) {
      if (!text.startsWith(token, at)) return false;
      at += token.length;
    } else if (token === WHOLE) {
      at = valueEnd(text, at);
    } else {
      const stop = text[at] === '"' ? stringEnd(text, at) : at;
      if (!matchesParts(token, text.slice(at, stop))) return false;
      at = stop;
    }
  }
  return at === text.length;
}

/** Returns whether a string has the parts of another one that were not removed, in order. */
function matchesParts(pattern: string, text: string): boolean {
  const parts = pattern.split(REMOVED);
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** Returns where a value ends that begins at `start`. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const unit = text[at];
    if (unit === '"') at = stringEnd(text, at) - 1;
    else if (unit === "{" || unit === "[") depth += 1;
    else if (unit === "}" || unit === "]") {
      if (depth === 0) return at;
      depth -= 1;
    } else if (unit === "," && depth === 0) return at;
    else if (unit === ":" && depth === 0) return at;
    if (depth === 0 && (unit === '"' || unit === "}" || unit === "]")) return at + 1;
  }
  return text.length;
}
