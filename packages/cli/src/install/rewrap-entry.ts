import { type Edit, type Entry, endOf } from "./entries.ts";
import { breakOf, dashBefore, lineStart } from "./layout.ts";
import type { Change } from "./wrap-entry.ts";
import { type Wrapped, wrappedBy } from "./wrapped.ts";

/** What to change in an entry that is wrapped already. */
export interface Rewrap {
  /** The program that clients should start instead, and its arguments before `wrap`; absent to keep it. */
  readonly program?: readonly [string, ...string[]];
  /** Options of `touchstone wrap` and their values. */
  readonly options: readonly (readonly [flag: string, value: string])[];
}

/**
 * Returns the edits that give a wrapped server other options: a value that is there is replaced, and an option that is
 * missing is put first. What `uninstall` removes stays one range of words, so that it still restores every byte.
 * @returns no edits if all of it is there already
 */
export function rewrapEntry(text: string, entry: Entry, { program, options }: Rewrap): Change {
  const wrapped = wrappedBy(entry);
  if (wrapped === undefined) return { left: "not wrapped" };
  if (entry.duplicate !== undefined) return { left: `the key "${entry.duplicate}" occurs twice` };
  const { items, args, verb } = wrapped;
  const edits: Edit[] = [];
  const missing: string[] = [];
  for (const [flag, value] of options) {
    const at = optionValue(wrapped, flag);
    const item = at === undefined ? undefined : items[at.index];
    if (at === undefined || item === undefined) missing.push(flag, value);
    else if (at.value !== value) {
      const put = at.isJoined ? `${flag}=${value}` : value;
      edits.push({ start: item.offset, end: endOf(item), text: JSON.stringify(put) });
    }
  }
  const before = program?.slice(1) ?? args.slice(0, verb);
  if (program !== undefined && String(wrapped.program.value) !== program[0]) {
    const { offset } = wrapped.program;
    edits.push({ start: offset, end: endOf(wrapped.program), text: JSON.stringify(program[0]) });
  }
  const isSame = before.length === verb && before.every((word, at) => word === args[at]);
  if (!isSame) {
    const [first, own] = [items[0], items[verb]];
    if (first === undefined || own === undefined) return { left: "its args cannot be changed" };
    const put = wordsAt(text, entry, wrapped, 0, before);
    if (put === undefined) return { left: "its args are not a list with one text on each line" };
    // Block sequences of YAML: from dash to dash.
    const from = put.isLine ? lineStart(text, first.offset) : first.offset;
    const to = put.isLine ? lineStart(text, own.offset) : own.offset;
    edits.push({ start: from, end: to, text: put.text });
  }
  if (missing.length > 0) {
    const next = items[verb + 1];
    const put = wordsAt(text, entry, wrapped, verb + 1, missing);
    if (next === undefined) return { left: "names no url and no command to wrap" };
    if (put === undefined) return { left: "its args are not a list with one text on each line" };
    const start = put.isLine ? lineStart(text, next.offset) : next.offset;
    edits.push({ start, end: start, text: put.text });
  }
  return { edits };
}

interface OptionValue {
  readonly index: number;
  readonly value: string;
  /** `--mode=strict`: one word for both. */
  readonly isJoined: boolean;
}

/** Returns the last value of an option, which is the one that counts. */
export function optionValue(
  { args, verb, end, options }: Wrapped,
  flag: string,
): OptionValue | undefined {
  const [last = -1] = options.get(flag)?.slice(-1) ?? [];
  const joined = args.slice(verb + 1, end).findLastIndex((word) => word.startsWith(`${flag}=`));
  const index = Math.max(last, joined < 0 ? -1 : joined + verb + 1);
  if (index < 0) return undefined;
  const word = args[index] ?? "";
  const isJoined = index !== last;
  return { index, value: isJoined ? word.slice(flag.length + 1) : word, isJoined };
}

/** Returns the text of words in front of the item of an index, separated as the list's own words are. */
function wordsAt(
  text: string,
  { format }: Entry,
  { items }: Wrapped,
  index: number,
  words: readonly string[],
): { readonly text: string; readonly isLine: boolean } | undefined {
  const quoted = words.map((word) => JSON.stringify(word));
  const [item, other] = [items[index], items[index === 0 ? 1 : index - 1]];
  if (item === undefined) return { text: "", isLine: false };
  const between =
    other === undefined
      ? ""
      : index === 0
        ? text.slice(endOf(item), other.offset)
        : text.slice(endOf(other), item.offset);
  const separator = /^[ \t\r\n]*,[ \t\r\n]*$/.exec(between)?.[0];
  if (separator === undefined && format === "yaml") {
    const dash = dashBefore(text, item);
    if (dash === undefined) return undefined;
    return { text: quoted.map((word) => dash + word + breakOf(text)).join(""), isLine: true };
  }
  return { text: quoted.map((word) => word + (separator ?? ", ")).join(""), isLine: false };
}
