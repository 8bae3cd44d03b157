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

/** How a file is written, as one of its members tells. */
export function layoutOf(text: string, { property, key, value }: Member): Layout {
  const between = text.slice(endOf(key), value.offset);
  const colon = /^ ?: ?$/.test(between) ? between : ": ";
  const comma = colon.endsWith(" ") ? ", " : ",";
  const before = text.slice(Math.max(0, property.offset - MAX_INDENT), property.offset);
  const line = /(?:\r\n|\n|\r)[ \t]*$/.exec(before)?.[0];
  return { colon, comma, member: line === undefined ? comma : `,${line}` };
}

/**
 * The text that puts words in front of those of a list, to stand right behind its bracket. It ends where the
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

/** Behind what {@link wordsBefore} has put into a list, of which `last` is the last word. */
export function endOfWords(text: string, list: Node, last: Node): number {
  const end = endOf(last);
  if (text[end] !== ",") return end;
  const isOwnSpace = text[list.offset + 1] === '"' && text.startsWith(' "', end + 1);
  return isOwnSpace ? end + 2 : end + 1;
}
