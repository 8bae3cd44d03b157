import { decimalText } from "../../../json/decimal.ts";
import { exactTree } from "../../../json/exact-tree.ts";
import { spend } from "../../budget.ts";
import { exactTexts, ownLiterals } from "../../graph/literals.ts";
import type { SchemaNode, SchemaValue } from "../../graph/node.ts";
import type { Place } from "../place.ts";
import { fail, type Rule, type Run, textCost } from "../rule.ts";
import { isKeyed, valueKey } from "../value-key.ts";

/** Allowed values, ordered for look-up, so that a long `enum` costs no more than a short one. */
interface Allowed {
  readonly primitives: ReadonlySet<unknown>;
  readonly keys: ReadonlySet<string>;
  readonly values: readonly unknown[];
}

const known = new WeakMap<SchemaValue | readonly SchemaValue[], Allowed>();

function allowedBy(schema: SchemaValue | readonly SchemaValue[]): Allowed {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const primitives = new Set<unknown>();
  const keys = new Set<string>();
  const values: unknown[] = [];
  for (const { value, decimals } of isList(schema) ? schema : [schema]) {
    const tree = exactTree(decimals);
    if (isKeyed(value, tree)) keys.add(valueKey(value, tree, undefined));
    else primitives.add(value);
    values.push(value);
  }
  const allowed: Allowed = { primitives, keys, values };
  known.set(schema, allowed);
  return allowed;
}

function isList(schema: SchemaValue | readonly SchemaValue[]): schema is readonly SchemaValue[] {
  return Array.isArray(schema);
}

function allows(run: Run, allowed: Allowed, value: unknown, place: Place | undefined): boolean {
  const tree = place?.tree;
  if (isKeyed(value, tree)) {
    return allowed.keys.size > 0 && allowed.keys.has(valueKey(value, tree, run.budget));
  }
  if (typeof value === "string") spend(run.budget, textCost(value));
  return allowed.primitives.has(value);
}

const constant: Rule = (run, node: SchemaNode, value, place) => {
  if (node.const === undefined) return true;
  const { const: only } = node;
  const allowed = allowedBy(only);
  if (allows(run, allowed, value, place)) return true;
  return fail(run, node, "const", value, place, () => {
    const params = { allowedValue: allowed.values[0] };
    // The value itself where it is a number that no double holds.
    const number = only.decimals?.get("");
    const exact = number && decimalText(number);
    return exact === undefined
      ? { message: "must be equal to constant", params }
      : { message: `must be equal to ${exact}`, params: { ...params, exact } };
  });
};

const enumeration: Rule = (run, node: SchemaNode, value, place) => {
  const { enum: some } = node;
  if (some === undefined) return true;
  const allowed = allowedBy(some);
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

/** JSON Schema 2020-12 Validation, section 6.1. */
export const EQUALITY_RULES: readonly (readonly ["const" | "enum", Rule])[] = [
  ["const", constant],
  ["enum", enumeration],
];
