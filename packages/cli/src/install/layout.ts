import { type Member, type Node, nodeEnd } from "./entries.ts";

/**
 * The separators that a file uses between keys, values and words, on one line or several; only JSON's white space
 * counts.
 */
export interface Layout {
  readonly colon: string;
  /** The separator between words on a line. */
  readonly comma: string;
  /** The separator between two members. */
  readonly member: string;
}

/** How far back to search for the start of a line: no file is indented more than that. */
const MAX_INDENT = 256;

/** Returns a file's layout, derived from one of its members. */
export function layoutOf(text: string, { property, key, value }: Member): Layout {
  const between = text.slice(nodeEnd(key), value.offset);
  const colon = /^ ?: ?$/.test(between) ? between : ": ";
  const comma = colon.endsWith(" ") ? ", " : ",";
  const before = text.slice(Math.max(0, property.offset - MAX_INDENT), property.offset);
  const line = /(?:\r\n|\n|\r)[ \t]*$/.exec(before)?.[0];
  return { colon, comma, member: line === undefined ? comma : `,${line}` };
}

/**
 * Returns the text that inserts words at the start of a list, directly after its bracket. It ends before the list's
 * own leading white space, which stays unchanged.
 */
export function insertAtStart(
  text: string,
  list: Node,
  words: readonly string[],
  comma: string,
): string {
  const [first, second] = list.children ?? [];
  if (first === undefined) return words.join(comma);
  const lead = text.slice(list.offset + 1, first.offset);
  const gap = second === undefined ? "" : text.slice(nodeEnd(first), second.offset);
  const between = /^, ?$/.test(gap) ? gap : comma;
  if (lead === "") return words.join(between) + between;
  if (/[^ \t\r\n]/.test(lead)) return `${words.join(between)},`;
  return `${lead}${words.join(/[\r\n]/.test(lead) ? `,${lead}` : between)},`;
}

/** A space and the start of a word: a string in JSON; in YAML anything except a comment or the end of the list. */
const SPACED_WORD: Readonly<Record<"json" | "toml" | "yaml", RegExp>> = {
  json: /^ "/,
  toml: /^ ["']/,
  yaml: /^ [^\s#,\]]/,
};

/**
 * Returns the offset after the words that {@link insertAtStart} has inserted into a list; `last` is the last of them.
 */
export function endOfInserted(
  text: string,
  list: Node,
  last: Node,
  format: keyof typeof SPACED_WORD = "json",
): number {
  const end = nodeEnd(last);
  if (text[end] !== ",") return end;
  const spaced = SPACED_WORD[format].test(text.slice(end + 1, end + 3));
  const isOwnSpace = text[list.offset + 1] === '"' && spaced;
  return isOwnSpace ? end + 2 : end + 1;
}

/** Returns the line break that the text uses. */
export function lineBreakOf(text: string): string {
  return /\r\n|\n/.exec(text)?.[0] ?? "\n";
}

/** Returns the offset where the line of an offset begins. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Returns the offset where the line of an offset ends, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const feed = text.indexOf("\n", offset);
  if (feed < 0) return text.length;
  return text[feed - 1] === "\r" && feed > offset ? feed - 1 : feed;
}

/**
 * Returns the text before an item of a YAML block sequence; undefined if the item is not on a separate line.
 */
export function yamlDashBefore(text: string, { offset }: Node): string | undefined {
  return /^ *- +$/.exec(text.slice(lineStart(text, offset), offset))?.[0];
}
