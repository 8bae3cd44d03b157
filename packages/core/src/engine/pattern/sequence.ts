import type { AST } from "@eslint-community/regexpp";
import { type CodeSet, hasCode, rangesOf } from "./code-set.ts";
import { type ParsedPattern, setOf } from "./parse.ts";

/** From `min` to `max` repeats of one character of a set. */
interface Item {
  readonly set: CodeSet;
  readonly min: number;
  readonly max: number;
  /** Membership of the ASCII characters, by code unit. */
  readonly ascii: Uint8Array;
}

const ASCII = 128;

function areDisjoint(a: CodeSet, b: CodeSet): boolean {
  for (const [from, to] of rangesOf(a)) {
    for (const [low, high] of rangesOf(b)) if (from <= high && low <= to) return false;
  }
  return true;
}

function itemOf(node: AST.Element, unicode: boolean): Item | undefined {
  const { element, min, max } =
    node.type === "Quantifier" ? node : { element: node, min: 1, max: 1 };
  const set = setOf(element, unicode);
  if (set === undefined) return undefined;
  const ascii = new Uint8Array(ASCII);
  for (let code = 0; code < ASCII; code++) ascii[code] = hasCode(set, code) ? 1 : 0;
  return { set, min, max, ascii };
}

/** Returns whether it is always safe for each item to take as many characters as possible. */
function isGreedy(items: readonly Item[]): boolean {
  return items.every(({ set, min, max }, i) => {
    if (min === max) return true;
    for (const next of items.slice(i + 1)) {
      if (!areDisjoint(set, next.set)) return false;
      if (next.min > 0) return true;
    }
    return true;
  });
}

/** Maximum number of items, and of ranges in one: all of them are compared with each other. */
const MAX_ITEMS = 64;
const MAX_RANGES = 64;

/**
 * Makes a matcher that reads a text once. It supports patterns that start at the beginning and consist of consecutive
 * characters and classes, each with at most one quantifier: `^[a-z]{2}-\d+$`. Undefined if the pattern is of another
 * kind, or if one item could take what the next one needs.
 */
export function sequenceMatcher({
  pattern,
  unicode,
}: ParsedPattern): ((text: string) => boolean) | undefined {
  const [only, ...others] = pattern.alternatives;
  if (only === undefined || others.length > 0) return undefined;
  const elements = [...only.elements];
  const isEdge = (node: AST.Element | undefined, kind: "start" | "end"): boolean =>
    node?.type === "Assertion" && node.kind === kind;
  if (!isEdge(elements.shift(), "start") || elements.length > MAX_ITEMS) return undefined;
  const toEnd = isEdge(elements.at(-1), "end");
  if (toEnd) elements.pop();
  const items: Item[] = [];
  for (const element of elements) {
    const item = itemOf(element, unicode);
    if (item === undefined || item.set.length > 2 * MAX_RANGES) return undefined;
    items.push(item);
  }
  if (!isGreedy(items)) return undefined;
  return (text) => {
    let at = 0;
    for (const { set, min, max, ascii } of items) {
      let count = 0;
      while (count < max && at < text.length) {
        const unit = text.charCodeAt(at);
        if (unit < ASCII) {
          if (ascii[unit] === 0) break;
          at++;
        } else {
          const point = unicode ? (text.codePointAt(at) as number) : unit;
          if (!hasCode(set, point)) break;
          at += point > 0xffff ? 2 : 1;
        }
        count++;
      }
      if (count < min) return false;
    }
    return !toEnd || at === text.length;
  };
}
