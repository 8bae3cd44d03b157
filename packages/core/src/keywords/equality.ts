import { decimalText } from "../json/decimal.ts";
import { exactTree } from "../json/exact-tree.ts";
import { type Keyword, keyword } from "./keyword.ts";
import { exactTexts, ownLiterals } from "./literals.ts";
import type { SchemaValue } from "./node.ts";
import type { Place } from "./place.ts";
import { exhausted, fail, type Run, textCost } from "./run.ts";
import { isKeyed, valueKey } from "./value-key.ts";

/** Allowed values, ordered for look-up, so that a long `enum` costs no more than a short one. */
interface Allowed {
  readonly primitives: ReadonlySet<unknown>;
  readonly keys: ReadonlySet<string>;
  readonly values: readonly unknown[];
}

function allowedBy(schemas: readonly SchemaValue[]): Allowed {
  const primitives = new Set<unknown>();
  const keys = new Set<string>();
  for (const { value, decimals } of schemas) {
    const tree = exactTree(decimals);
    if (isKeyed(value, tree)) keys.add(valueKey(value, tree, undefined));
    else primitives.add(value);
  }
  return { primitives, keys, values: schemas.map(({ value }) => value) };
}

function allows(run: Run, allowed: Allowed, value: unknown, place: Place | undefined): boolean {
  if (typeof value === "string") {
    run.steps -= textCost(value);
    if (run.steps < 0) exhausted(run);
    return allowed.primitives.has(value);
  }
  const tree = place?.tree;
  if (!isKeyed(value, tree)) return allowed.primitives.has(value);
  return allowed.keys.size > 0 && allowed.keys.has(valueKey(value, tree, run));
}

/** `const` (2020-12 Validation, section 6.1.3). */
export const constant: Keyword = keyword({
  name: "const",
  appliesTo: "any",
  compile: (node) => {
    const only = node.const;
    if (only === undefined) return undefined;
    const allowed = allowedBy([only]);
    return (run, value, place) => {
      if (allows(run, allowed, value, place)) return true;
      return fail(run, node, "const", value, place, () => {
        const params = { allowedValue: only.value };
        // The value itself if it is a number that no double holds.
        const number = only.decimals?.get("");
        const exact = number && decimalText(number);
        return exact === undefined
          ? { message: "must be equal to constant", params }
          : { message: `must be equal to ${exact}`, params: { ...params, exact } };
      });
    };
  },
});

/** `enum` (2020-12 Validation, section 6.1.2). */
export const enumeration: Keyword = keyword({
  name: "enum",
  appliesTo: "any",
  compile: (node) => {
    const some = node.enum;
    if (some === undefined) return undefined;
    const allowed = allowedBy(some);
    return (run, value, place) => {
      if (allows(run, allowed, value, place)) return true;
      return fail(run, node, "enum", value, place, () => {
        const params = { allowedValues: allowed.values };
        const exact = ownLiterals(node) === "inexact" ? exactTexts(some) : undefined;
        return {
          message: "must be equal to one of the allowed values",
          params: exact === undefined ? params : { ...params, exact },
        };
      });
    };
  },
});
