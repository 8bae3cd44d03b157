/** Letters and digits that Python's `re` accepts after a backslash, outside a class and in one. */
const ESCAPES = "AbBdDsSwWZafnrtvxuU0123456789";
const CLASS_ESCAPES = "bdDsSwWafnrtvxuU01234567";
/** Escapes that match many characters and may neither begin nor end a range. */
const SETS = "dDsSwW";
/** How many hexadecimal digits follow each of these escapes. */
const HEX: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** An open group. */
interface Group {
  /** The number of the group; undefined if it does not capture. */
  readonly number: number | undefined;
  readonly isLookbehind: boolean;
}

/** The position in a pattern, and what is known about the pattern so far. */
interface Reader {
  readonly source: string;
  at: number;
  groups: number;
  readonly open: Group[];
  /** Whether there is something before this position that a quantifier may repeat. */
  repeatable: boolean;
}

/**
 * Returns, in a few words, what Python's `re` does not accept in an ECMA-262 pattern; undefined if it accepts the
 * pattern, as far as its syntax shows (https://docs.python.org/3/library/re.html#regular-expression-syntax).
 */
export function pythonFault(source: string): string | undefined {
  const reader: Reader = { source, at: 0, groups: 0, open: [], repeatable: false };
  while (reader.at < source.length) {
    const fault = nextFault(reader);
    if (fault !== undefined) return fault;
  }
  return reader.open.length > 0 ? "a group that does not end" : undefined;
}

function nextFault(reader: Reader): string | undefined {
  const { source } = reader;
  const char = source[reader.at] as string;
  const wasRepeatable = reader.repeatable;
  reader.repeatable = true;
  switch (char) {
    case "\\":
      return escapeFault(reader);
    case "[":
      return classFault(reader);
    case "(":
      return groupFault(reader);
    case ")":
      reader.at += 1;
      return reader.open.pop() === undefined ? 'a ")" without a group' : undefined;
    case "|":
    case "^":
    case "$":
      reader.at += 1;
      reader.repeatable = false;
      return undefined;
    case "*":
    case "+":
    case "?":
    case "{":
      return repeatFault(reader, wasRepeatable);
    default:
      reader.at += 1;
      return undefined;
  }
}

function repeatFault(reader: Reader, wasRepeatable: boolean): string | undefined {
  const { source, open } = reader;
  const rest = source.slice(reader.at, reader.at + 40);
  const [repeat] = /^(?:[*+?]|\{(?:\d+(?:,\d*)?|,\d*)\})/.exec(rest) ?? [];
  // A brace that is not a quantifier is an ordinary character.
  if (repeat === undefined) {
    reader.at += 1;
    return undefined;
  }
  if (!wasRepeatable) return `the quantifier ${repeat} with nothing to repeat`;
  reader.at += repeat.length;
  const isFixed = /^\{\d+\}$/.test(repeat);
  if (!isFixed && open.some(({ isLookbehind }) => isLookbehind)) {
    return "a lookbehind whose length is not fixed";
  }
  // Lazy, or possessive.
  if (source[reader.at] === "?" || source[reader.at] === "+") reader.at += 1;
  reader.repeatable = false;
  return undefined;
}

function groupFault(reader: Reader): string | undefined {
  const rest = reader.source.slice(reader.at, reader.at + 80);
  reader.repeatable = false;
  if (!rest.startsWith("(?")) return opened(reader, 1, true);
  if (/^\(\?(?::|>)/.test(rest)) return opened(reader, 3, false);
  if (/^\(\?[=!]/.test(rest)) return opened(reader, 3, false);
  if (/^\(\?<[=!]/.test(rest)) return opened(reader, 4, false, true);
  const named = /^\(\?P<[^>]*>/.exec(rest);
  if (named !== null) return opened(reader, named[0].length, true);
  const [flags] = /^\(\?(?:[aiLmsux]+(?:-[imsx]+)?|-[imsx]+):/.exec(rest) ?? [];
  if (flags !== undefined) return opened(reader, flags.length, false);
  const [global] = /^\(\?[aiLmsux]+\)/.exec(rest) ?? [];
  if (global !== undefined && reader.at === 0) {
    reader.at += global.length;
    return undefined;
  }
  if (/^\(\?<[^=!]/.test(rest)) return `the named group ${/^\(\?<[^>]*>?/.exec(rest)?.[0] ?? ""}`;
  return `the group ${rest.slice(0, 4)}`;
}

function opened(
  reader: Reader,
  length: number,
  captures: boolean,
  isLookbehind = false,
): undefined {
  if (captures) reader.groups += 1;
  reader.open.push({ number: captures ? reader.groups : undefined, isLookbehind });
  reader.at += length;
  return undefined;
}

function escapeFault(reader: Reader): string | undefined {
  const { source } = reader;
  const letter = source[reader.at + 1];
  if (letter === undefined) return "a backslash at the end";
  if (/[1-9]/.test(letter)) return referenceFault(reader);
  if ("AbBZ".includes(letter)) reader.repeatable = false;
  return letterFault(reader, ESCAPES);
}

/** Reads an escape of a letter, and moves past it. */
function letterFault(reader: Reader, known: string): string | undefined {
  const { source, at } = reader;
  const letter = source[at + 1] ?? "";
  if (/[A-Za-z0-9]/.test(letter) && !known.includes(letter)) {
    const [whole] =
      /^\\(?:[pP]\{[^}]*\}|k<[^>]*>|c[A-Za-z]|.)/u.exec(source.slice(at, at + 40)) ?? [];
    return `the escape ${whole ?? `\\${letter}`}`;
  }
  const digits = HEX.get(letter) ?? 0;
  const hex = source.slice(at + 2, at + 2 + digits);
  if (hex.length < digits || !/^[0-9A-Fa-f]*$/.test(hex)) {
    return `the escape \\${letter} without ${digits} hexadecimal digits`;
  }
  reader.at += 2 + digits;
  return undefined;
}

function referenceFault(reader: Reader): string | undefined {
  const digits = /^\d{1,2}/.exec(reader.source.slice(reader.at + 1, reader.at + 3))?.[0] ?? "";
  const number = Number(digits);
  reader.at += 1 + digits.length;
  if (number > reader.groups) return `the reference \\${digits} to a group that is not there yet`;
  return reader.open.some((group) => group.number === number)
    ? `the reference \\${digits} to a group that is still open`
    : undefined;
}

/** One end of a range in a class, and whether it matches many characters. */
interface Member {
  readonly isSet: boolean;
  readonly text: string;
  /** The code point; undefined if its value does not matter. */
  readonly code: number | undefined;
}

function classFault(reader: Reader): string | undefined {
  const { source } = reader;
  reader.at += source[reader.at + 1] === "^" ? 2 : 1;
  // Python treats a closing bracket at the beginning as an ordinary character.
  for (let isFirst = true; isFirst || source[reader.at] !== "]"; isFirst = false) {
    if (reader.at >= source.length) return "a class of characters that does not end";
    const from = member(reader);
    if (typeof from === "string") return from;
    if (source[reader.at] !== "-" || source[reader.at + 1] === "]") continue;
    if (reader.at + 1 >= source.length) return "a class of characters that does not end";
    reader.at += 1;
    const to = member(reader);
    if (typeof to === "string") return to;
    const isDescending = from.code !== undefined && to.code !== undefined && from.code > to.code;
    if (from.isSet || to.isSet || isDescending) return `the range ${from.text}-${to.text}`;
  }
  reader.at += 1;
  return undefined;
}

/** Reads one member of a class. Returns a text if something is wrong with it. */
function member(reader: Reader): Member | string {
  const { source, at } = reader;
  if (source[at] !== "\\") {
    const code = source.codePointAt(at) ?? 0;
    const text = String.fromCodePoint(code);
    reader.at += text.length;
    return { isSet: false, text, code };
  }
  const fault = letterFault(reader, CLASS_ESCAPES);
  if (fault !== undefined) return fault;
  const text = source.slice(at, reader.at);
  const letter = text[1] ?? "";
  const isPlain = !/[A-Za-z0-9]/.test(letter);
  return { isSet: SETS.includes(letter), text, code: isPlain ? letter.codePointAt(0) : undefined };
}
