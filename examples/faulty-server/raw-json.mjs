/**
 * Returns the text of one value inside a JSON text, exactly as it is there. `JSON.parse` and
 * `JSON.stringify` would rewrite numbers, key order and escapes, so neither can show what came.
 *
 * @param {string} text one JSON text that `JSON.parse` accepts
 * @param {readonly (string | number)[]} path member names and array indexes, outermost first
 * @returns {string | undefined} the slice; of a duplicate key the last, as `JSON.parse` takes it
 */
export function rawAt(text, path) {
  let start = skipSpace(text, 0);
  for (const step of path) {
    const found =
      typeof step === "number" ? itemAt(text, start, step) : memberAt(text, start, step);
    if (found === undefined) return undefined;
    start = found;
  }
  return text.slice(start, skipValue(text, start));
}

function memberAt(text, open, name) {
  if (text[open] !== "{") return undefined;
  let found;
  let at = skipSpace(text, open + 1);
  while (text[at] === '"') {
    const keyEnd = skipString(text, at);
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    if (JSON.parse(text.slice(at, keyEnd)) === name) found = value;
    at = skipSpace(text, skipSpace(text, skipValue(text, value)) + 1);
  }
  return found;
}

function itemAt(text, open, index) {
  if (text[open] !== "[") return undefined;
  let at = skipSpace(text, open + 1);
  for (let i = 0; i < index; i += 1) {
    at = skipSpace(text, skipSpace(text, skipValue(text, at)) + 1);
  }
  return at;
}

function skipSpace(text, from) {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text[at])) at += 1;
  return at;
}

function skipString(text, open) {
  let at = open + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** Iterative, because a value may be nested deeper than the call stack. */
function skipValue(text, start) {
  let at = start;
  let depth = 0;
  do {
    const char = text[at];
    if (char === '"') {
      at = skipString(text, at);
    } else if (char === "{" || char === "[") {
      depth += 1;
      at += 1;
    } else if (char === "}" || char === "]") {
      depth -= 1;
      at += 1;
    } else if (depth > 0 && ", :\t\r\n".includes(char)) {
      at += 1;
    } else {
      while (at < text.length && !',:}] \t\r\n"[{'.includes(text[at])) at += 1;
    }
  } while (depth > 0);
  return at;
}
