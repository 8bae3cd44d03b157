/** A part of a pattern that other engines know, and what it means in ECMA-262. */
interface Foreign {
  readonly written: string;
  readonly meaning: string;
  readonly instead: string;
}

const letters = (written: string, instead: string): readonly [string, Foreign] => {
  const letter = written.slice(1);
  return [written, { written, meaning: `the letter ${letter}`, instead }];
};

/** Escapes that Perl, PCRE, Ruby, Python, Java or .NET know, and that are letters without the flag `u`. */
const ESCAPES: ReadonlyMap<string, Foreign> = new Map([
  letters("\\A", "write ^"),
  letters("\\z", "write $"),
  letters("\\Z", "write $"),
  letters("\\G", "leave it out"),
  letters("\\Q", "escape each special character"),
  letters("\\E", "leave it out"),
  letters("\\h", "write [ \\t] or [0-9a-fA-F]"),
  letters("\\H", "write [^ \\t]"),
  letters("\\R", "write \\r?\\n"),
  letters("\\K", "use a lookbehind"),
  letters("\\X", "write ."),
  letters("\\e", "write \\x1b"),
  letters("\\a", "write \\x07"),
]);

const DELIMITED = /^\/(?<inner>.*)\/(?<flags>[dgimsuvxy]*)$/s;

/** Returns the delimiters of a pattern that is written as a literal, such as `/^a$/i`; undefined if it has none. */
function delimiters(source: string): Foreign | undefined {
  const { inner = "", flags = "" } = DELIMITED.exec(source)?.groups ?? {};
  // A pattern may match texts that begin and end with a slash, but `^` after a slash matches nothing.
  if (flags === "" && !inner.startsWith("^") && !/(?<!\\)\$$/.test(inner)) return undefined;
  return {
    written: `/…/${flags}`,
    meaning: "slashes and letters in the text itself",
    instead: flags.includes("i") ? "leave them out, and write both cases" : "leave them out",
  };
}

/**
 * Returns the part of a pattern that is in the notation of another language; undefined if there is none that is known
 * here.
 */
export function foreignNotation(source: string): Foreign | undefined {
  const whole = delimiters(source);
  if (whole !== undefined) return whole;
  let isClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === "\\") {
      const escaped = source.slice(at, at + 2);
      if (/[pP]/.test(escaped[1] ?? "") && /[A-Z]/.test(source[at + 2] ?? "")) {
        const written = source.slice(at, at + 3);
        const meaning = `the letters ${written.slice(1)}`;
        return { written, meaning, instead: `write \\p{${written.slice(2)}}` };
      }
      if (escaped === "\\x" && source[at + 2] === "{") {
        return {
          written: "\\x{…}",
          meaning: "the letter x, repeated",
          instead: "write \\u and four digits",
        };
      }
      const known = ESCAPES.get(escaped);
      if (known !== undefined && !(isClass && "AZzGQEKX".includes(escaped[1] ?? ""))) return known;
      at += 1;
    } else if (!isClass && sign === "[") {
      isClass = true;
      const posix = /^\[\^?\[:\^?(?<name>[a-z]+):\]/.exec(source.slice(at, at + 24));
      if (posix !== null) {
        const written = `[[:${posix.groups?.["name"]}:]]`;
        return {
          written,
          meaning: "a class of these characters, and ]",
          instead: "write out the class, such as [A-Za-z]",
        };
      }
    } else if (isClass && sign === "]") isClass = false;
  }
  return undefined;
}
