import { exactSubtree } from "../json/exact-tree.ts";
import { numberText } from "./explain.ts";
import { type Keyword, keyword } from "./keyword.ts";
import { reportFailure, spendSteps, textCost } from "./run.ts";
import { BOOLEAN_SHAPE } from "./shape.ts";
import { comparesByKey, valueKey } from "./value-key.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly uniqueItems?: boolean;
  }
}

/**
 * Up to this many items are compared pairwise, if they are scalars of at most `SHORT` characters: a map costs more.
 */
const FEW = 8;
const SHORT = 64;

/** Undefined if an item is too large to compare with all others. */
function haveDuplicate(items: readonly unknown[]): boolean | undefined {
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item === "object" && item !== null) return undefined;
    if (typeof item === "string" && item.length > SHORT) return undefined;
    for (let j = 0; j < i; j++) if (items[j] === item) return true;
  }
  return false;
}

/** `uniqueItems` (2020-12 Validation, section 6.4.3), in one pass over the items. */
export const uniqueItems: Keyword = keyword({
  name: "uniqueItems",
  vocabulary: "validation",
  since: "draft-04",
  shape: BOOLEAN_SHAPE,
  appliesTo: "array",
  explain: {
    demand: ({ params: { i, j } }) =>
      `must not have equal items (items ${numberText(j)} and ${numberText(i)} are equal)`,
  },
  compile: (node) => {
    if (node.uniqueItems !== true) return undefined;
    return (run, value, place) => {
      if (value.length < 2) return true;
      const { report } = run;
      if (value.length <= FEW && place === undefined) {
        spendSteps(run, value.length);
        const found = haveDuplicate(value);
        if (found !== undefined) return !found;
      }
      const primitives = new Map<unknown, number>();
      const keys = new Map<string, number>();
      let found: { i: number; j: number } | undefined;
      for (let i = 0; i < value.length; i++) {
        const item = value[i];
        const tree = exactSubtree(place?.tree, i);
        let before: number | undefined;
        if (comparesByKey(item, tree)) {
          const key = valueKey(item, tree, run);
          before = keys.get(key);
          keys.set(key, i);
        } else {
          spendSteps(run, typeof item === "string" ? 1 + textCost(item) : 2);
          before = primitives.get(item);
          primitives.set(item, i);
        }
        if (before === undefined) continue;
        if (report === undefined) return false;
        // Ajv reports the last item that equals an earlier one, and the nearest such earlier one.
        found = { i, j: before };
      }
      if (found === undefined) return true;
      const { i, j } = found;
      return reportFailure(run, node, "uniqueItems", value, place, () => ({
        message: `must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
        params: { i, j },
      }));
    };
  },
});
