import { endOf, type Member, type Node } from "./entries.ts";

/** What a file puts between keys, values and words of one line or several; JSON's white space only. */
export interface Layout {
  readonly colon: string;
  /** Between words of a line. */
  readonly comma: string;
  /** Between a member and the next. */
  readonly member: string;
}

/** How far back a line's beginning is looked for; nobody indents further. */
const MAX_INDENT = 256;

/** Returns how a file is written, as one of its members tells. */
export function layoutOf(text: string, { property, key, value }: Member): Layout {
  const between = text.slice(endOf(key), value.offset);
  const colon = /^ ?: ?$/.test(between) ? between : ": ";
  const comma = colon.endsWith(" ") ? ", " : ",";
  const before = text.slice(Math.max(0, property.offset - MAX_INDENT), property.offset);
  const line = /(?:\r\n|\n|\r)[ \t]*$/.exec(before)?.[0];
  return { colon, comma, member: line === undefined ? comma : `,${line}` };
}

/**
 * Returns the text that puts words in front of those of a list, to stand right behind its bracket. It ends where the
 * list's own first white space begins, so that this stays as it is.
 */
export function wordsBefore(
  text: string,
  list: Node,
  words: readonly string[],
  comma: string,
): string {
  const [first, second] = list.children ?? [];
  if (first === undefined) return words.join(comma);
  const lead = text.slice(list.offset + 1, first.offset);
  const gap = second === undefined ? "" : text.slice(endOf(first), second.offset);
  const between = /^, ?$/.test(gap) ? gap : comma;
  if (lead === "") return words.join(between) + between;
  if (/[^ \t\r\n]/.test(lead)) return `${words.join(between)},`;
  return `${lead}${words.join(/[\r\n]/.test(lead) ? `,${lead}` : between)},`;
}

/** A space and the beginning of a word: in JSON a text, in YAML whatever is neither a comment nor the end. */
const SPACED_WORD: Readonly<Record<"json" | "toml" | "yaml", RegExp>> = {
  json: /^ "/,
  toml: /^ ["']/,
  yaml: /^ [^\s#,\]]/,
};

/** Behind what {@link wordsBefore} has put into a list, of which `last` is the last word. */
export function endOfWords(
  text: string,
  list: Node,
  last: Node,
  format: keyof typeof SPACED_WORD = "json",
): number {
  const end = endOf(last);
  if (text[end] !== ",") return end;
  const spaced = SPACED_WORD[format].test(text.slice(end + 1, end + 3));
  const isOwnSpace = text[list.offset + 1] === '"' && spaced;
  return isOwnSpace ? end + 2 : end + 1;
}

/** Returns a line break as the text has them. */
export function breakOf(text: string): string {
  return /\r\n|\n/.exec(text)?.[0] ?? "\n";
}

/** Where the line of an offset begins. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Where the line of an offset ends, in front of its break. */
export function lineEnd(text: string, offset: number): number {
  const feed = text.indexOf("\n", offset);
  if (feed < 0) return text.length;
  return text[feed - 1] === "\r" && feed > offset ? feed - 1 : feed;
}

/** Returns what is in front of an item of YAML's block sequence; undefined if it is none on a line of its own. */
export function dashBefore(text: string, { offset }: Node): string | undefined {
  return /^ *- +$/.exec(text.slice(lineStart(text, offset), offset))?.[0];
}
