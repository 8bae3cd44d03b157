import { decimalKey } from "../json/decimal.ts";
import { type ExactTree, exactSubtree } from "../json/exact-tree.ts";
import type { JsonObject } from "../json/value.ts";
import { type Budget, spendSteps, textCost } from "./run.ts";

/** Steps for a container, whose members are sorted and whose text is hashed. */
const CONTAINER_COST = 8;

/** A container whose contents are being written. */
interface Open {
  readonly value: object;
  /** The names of an object's members, sorted; undefined for an array. */
  readonly names: readonly string[] | undefined;
  readonly size: number;
  readonly tree: ExactTree | undefined;
  next: number;
}

function scalarKey(value: unknown, tree: ExactTree | undefined): string {
  if (typeof value === "string") return JSON.stringify(value);
  // A number with an exact value never equals one that is a double, so their texts may differ.
  if (typeof value === "number" && tree?.exact !== undefined) return `#${decimalKey(tree.exact)}`;
  return String(value);
}

/**
 * Returns a text that is the same for equal JSON values (JSON Schema 2020-12 Core, section 4.2.2) and different for
 * others: members sorted by name, numbers by their mathematical value. Deep values do not make the stack grow.
 * @param budget pays for each value inside; undefined for values of the schema.
 * @throws BudgetError.
 */
export function valueKey(
  root: unknown,
  rootTree: ExactTree | undefined,
  budget: Budget | undefined,
): string {
  const open: Open[] = [];
  let key = "";
  let value = root;
  let tree = rootTree;
  for (;;) {
    if (budget !== undefined) spendSteps(budget, typeof value === "string" ? textCost(value) : 1);
    if (typeof value === "object" && value !== null) {
      if (budget !== undefined) spendSteps(budget, CONTAINER_COST);
      const names = Array.isArray(value) ? undefined : Object.keys(value).sort();
      const size = names?.length ?? (value as readonly unknown[]).length;
      open.push({ value, names, size, tree, next: 0 });
      key += names === undefined ? "[" : "{";
    } else key += scalarKey(value, tree);
    let parent = open.at(-1);
    while (parent !== undefined && parent.next === parent.size) {
      key += parent.names === undefined ? "]" : "}";
      open.pop();
      parent = open.at(-1);
    }
    if (parent === undefined) return key;
    const token = parent.names?.[parent.next] ?? parent.next;
    parent.next++;
    if (typeof token === "string") {
      if (budget !== undefined) spendSteps(budget, 5 * textCost(token));
      key += `,${JSON.stringify(token)}:`;
    } else key += ",";
    value = (parent.value as JsonObject)[token];
    tree = exactSubtree(parent.tree, token);
  }
}

/** Returns whether a value is compared by its key and not directly as a primitive. */
export function comparesByKey(value: unknown, tree: ExactTree | undefined): boolean {
  if (typeof value === "object") return value !== null;
  return typeof value === "number" && tree?.exact !== undefined;
}
