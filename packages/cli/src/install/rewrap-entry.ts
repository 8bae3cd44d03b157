import { type Edit, type Entry, type Node, nodeEnd } from "./entries.ts";
import { lineBreakOf, lineStart, yamlDashBefore } from "./layout.ts";
import { optionValue, type WrappedEntry } from "./wrapped.ts";

/** What to change in an entry that is already wrapped. */
export interface RewrapOptions {
  /**
   * The program that clients should start instead; absent to keep the current one, with its arguments before `wrap`.
   */
  readonly program?: string;
  /** Options of `touchstone wrap` and their values. */
  readonly options: readonly (readonly [flag: string, value: string])[];
  /** An option of the entry that is removed because it would override a new one: `--mode` overrides `--preset`. */
  readonly instead?: readonly [old: string, flag: string];
}

/** The edits of a wrapped entry, or why it stays unchanged. */
export type RewrapResult =
  | {
      readonly edits: readonly Edit[];
      /** The arguments after the edits, from `wrap` on. */
      readonly args: readonly string[];
    }
  | { readonly left: string };

/**
 * Returns the edits that change the options of a wrapped server: an existing value is replaced, and a missing option
 * is inserted at the start. The words that `uninstall` removes stay in one range, so that it can still restore every
 * byte.
 * @returns no edits if the entry already has all of these options
 */
export function rewrapEntry(
  text: string,
  entry: Entry,
  wrapped: WrappedEntry,
  { program, options, instead }: RewrapOptions,
): RewrapResult {
  if (entry.duplicate !== undefined) return { left: `the key "${entry.duplicate}" occurs twice` };
  const { items, args, verb } = wrapped;
  const replaced = new Map<number, string>();
  const missing: string[] = [];
  for (const [flag, value] of options) {
    const own = optionValue(wrapped, flag);
    const isInstead = own === undefined && instead?.[1] === flag;
    const at = isInstead ? optionValue(wrapped, instead[0]) : own;
    if (at === undefined) missing.push(flag, value);
    else if (isInstead || at.value !== value) {
      if (isInstead && !at.isJoined) replaced.set(at.index - 1, flag);
      replaced.set(at.index, at.isJoined ? `${flag}=${value}` : value);
    }
  }
  const edits = items.flatMap((item, index) => {
    const word = replaced.get(index);
    return word === undefined ? [] : [replacement(item, word)];
  });
  if (program !== undefined) {
    if (wrapped.program.value !== program) edits.push(replacement(wrapped.program, program));
    // The script that the old program ran: `node touchstone.js wrap`.
    const [script, own] = items.slice(0, verb + 1);
    if (script !== undefined && own !== undefined) {
      edits.push({ start: startOf(text, entry, script), end: startOf(text, entry, own), text: "" });
    }
  }
  if (missing.length > 0) {
    const [own, next] = items.slice(verb, verb + 2);
    if (own === undefined || next === undefined) {
      return { left: "names no url and no command to wrap" };
    }
    const words = wordsBetween(text, entry, own, next, missing);
    if (words === undefined) return { left: "its args are not a list with one text on each line" };
    const start = startOf(text, entry, next);
    edits.push({ start, end: start, text: words });
  }
  const [own = "wrap", ...rest] = args.map((word, at) => replaced.get(at) ?? word).slice(verb);
  return { edits, args: [own, ...missing, ...rest] };
}

function replacement(node: Node, word: string): Edit {
  return { start: node.offset, end: nodeEnd(node), text: JSON.stringify(word) };
}

/** Returns where a word begins; in a block sequence of YAML, where its line begins. */
function startOf(text: string, { format }: Entry, item: Node): number {
  const isLine = format === "yaml" && yamlDashBefore(text, item) !== undefined;
  return isLine ? lineStart(text, item.offset) : item.offset;
}

/**
 * Returns the text of words between two others, with the same separators; undefined if a list in YAML has neither
 * brackets nor one line for each word.
 */
function wordsBetween(
  text: string,
  { format }: Entry,
  before: Node,
  after: Node,
  words: readonly string[],
): string | undefined {
  const quoted = words.map((word) => JSON.stringify(word));
  const between = text.slice(nodeEnd(before), after.offset);
  const separator = /^[ \t\r\n]*,[ \t\r\n]*$/.exec(between)?.[0];
  if (separator === undefined && format === "yaml") {
    const dash = yamlDashBefore(text, after);
    return dash && quoted.map((word) => dash + word + lineBreakOf(text)).join("");
  }
  return quoted.map((word) => word + (separator ?? ", ")).join("");
}
