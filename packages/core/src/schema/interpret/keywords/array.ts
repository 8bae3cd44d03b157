import { exactBelow } from "../../../json/exact-tree.ts";
import { spend } from "../../budget.ts";
import { fail, type Rule, textCost, type Vocabulary } from "../rule.ts";
import { isKeyed, valueKey } from "../value-key.ts";
import { contains } from "./contains.ts";
import { shownCount } from "./shown-count.ts";

type Items = readonly unknown[];

const maxItems: Rule<Items> = (run, node, value, place) => {
  const limit = node.maxItems ?? Number.POSITIVE_INFINITY;
  if (value.length <= limit) return true;
  return fail(run, node, "maxItems", value, place, () => {
    const { text, exact } = shownCount(node, "maxItems", limit);
    return { message: `must NOT have more than ${text} items`, params: { limit, ...exact } };
  });
};

const minItems: Rule<Items> = (run, node, value, place) => {
  const limit = node.minItems ?? 0;
  if (value.length >= limit) return true;
  return fail(run, node, "minItems", value, place, () => {
    const { text, exact } = shownCount(node, "minItems", limit);
    return { message: `must NOT have fewer than ${text} items`, params: { limit, ...exact } };
  });
};

const prefixItems: Rule<Items> = (run, node, value, place, marks) => {
  const schemas = node.prefixItems ?? [];
  const count = Math.min(schemas.length, value.length);
  let valid = true;
  for (let i = 0; i < count; i++) {
    const schema = schemas[i];
    if (schema === undefined) continue;
    if (run.evaluate(schema, value[i], run.below(place, i), undefined)) continue;
    if (run.report === undefined) return false;
    valid = false;
  }
  if (count > 0) marks?.push(count === value.length ? null : -count);
  return valid;
};

const items: Rule<Items> = (run, node, value, place, marks) => {
  const schema = node.items;
  if (schema === undefined) return true;
  const from = node.prefixItems?.length ?? 0;
  marks?.push(null);
  if (schema.always === true || value.length <= from) return true;
  // Ajv words `false` behind a tuple as a limit on the array, else for each item.
  if (schema.always === false && node.prefixItems !== undefined) {
    return fail(run, node, "items", value, place, () => ({
      message: `must NOT have more than ${from} items`,
      params: { limit: from },
    }));
  }
  let valid = true;
  for (let i = from; i < value.length; i++) {
    if (run.evaluate(schema, value[i], run.below(place, i), undefined)) continue;
    if (run.report === undefined) return false;
    valid = false;
  }
  return valid;
};

const uniqueItems: Rule<Items> = (run, node, value, place) => {
  if (node.uniqueItems !== true || value.length < 2) return true;
  const primitives = new Map<unknown, number>();
  const keys = new Map<string, number>();
  let found: { i: number; j: number } | undefined;
  for (let i = 0; i < value.length; i++) {
    const item = value[i];
    const tree = exactBelow(place?.tree, i);
    let before: number | undefined;
    if (isKeyed(item, tree)) {
      const key = valueKey(item, tree, run.budget);
      before = keys.get(key);
      keys.set(key, i);
    } else {
      spend(run.budget, typeof item === "string" ? textCost(item) : 1);
      before = primitives.get(item);
      primitives.set(item, i);
    }
    if (before === undefined) continue;
    if (run.report === undefined) return false;
    // Ajv names the last item that an earlier one equals, and the nearest such one.
    found = { i, j: before };
  }
  if (found === undefined) return true;
  const { i, j } = found;
  return fail(run, node, "uniqueItems", value, place, () => ({
    message: `must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
    params: { i, j },
  }));
};

/** JSON Schema 2020-12 Core, section 10.3.1; Validation, section 6.4. */
export const ARRAY_RULES: Vocabulary<Items> = [
  ["maxItems", maxItems],
  ["minItems", minItems],
  ["prefixItems", prefixItems],
  ["items", items],
  ["contains", contains],
  ["uniqueItems", uniqueItems],
];
