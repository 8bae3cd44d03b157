import { decimalText } from "../json/decimal.ts";
import { buildExactTree } from "../json/exact-tree.ts";
import { plainLine } from "../json/quote.ts";
import { type Keyword, keyword } from "./keyword.ts";
import type { SchemaNode, SchemaValue } from "./node.ts";
import {
  type EvaluationRun,
  reportFailure,
  textCost,
  throwExhausted,
  type ValuePlace,
} from "./run.ts";
import { ANY_VALUE_SHAPE, VALUES_SHAPE } from "./shape.ts";
import { comparesByKey, valueKey } from "./value-key.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly enum?: readonly SchemaValue[];
    readonly const?: SchemaValue;
  }
}

/** Allowed values in the form of an index, so that a long `enum` takes no more time than a short one. */
interface Allowed {
  readonly primitives: ReadonlySet<unknown>;
  readonly keys: ReadonlySet<string>;
  readonly values: readonly unknown[];
}

function allowedBy(schemas: readonly SchemaValue[]): Allowed {
  const primitives = new Set<unknown>();
  const keys = new Set<string>();
  for (const { value, decimals } of schemas) {
    const tree = buildExactTree(decimals);
    if (comparesByKey(value, tree)) keys.add(valueKey(value, tree, undefined));
    else primitives.add(value);
  }
  return { primitives, keys, values: schemas.map(({ value }) => value) };
}

function allows(
  run: EvaluationRun,
  allowed: Allowed,
  value: unknown,
  place: ValuePlace | undefined,
): boolean {
  if (typeof value === "string") {
    run.steps -= textCost(value);
    if (run.steps < 0) throwExhausted(run);
    return allowed.primitives.has(value);
  }
  const tree = place?.tree;
  if (!comparesByKey(value, tree)) return allowed.primitives.has(value);
  return allowed.keys.size > 0 && allowed.keys.has(valueKey(value, tree, run));
}

/** The values that each node itself allows. Cached because an enum may be long and often requested. */
const known = new WeakMap<SchemaNode, readonly unknown[] | "inexact">();

/**
 * Returns the values that `const` or `enum` of one node allow: undefined if it has neither, `inexact` if one contains
 * a number that no double holds, and would be reported as a different number.
 */
export function ownLiterals(node: SchemaNode): readonly unknown[] | "inexact" | undefined {
  const { const: only, enum: some } = node;
  const values = only === undefined ? some : [only];
  if (values === undefined) return undefined;
  const before = known.get(node);
  if (before !== undefined) return before;
  const isInexact = [only, ...(some ?? [])].some((each) => each?.decimals !== undefined);
  const literals = isInexact ? "inexact" : values.map(({ value }) => value);
  known.set(node, literals);
  return literals;
}

const texts = new WeakMap<readonly SchemaValue[], readonly string[] | "unknown">();

/**
 * Returns values as JSON text, with each number in the schema's digits; undefined if a number has too many digits to
 * show, or is in an array or an object.
 */
export function exactJsonTexts(values: readonly SchemaValue[]): readonly string[] | undefined {
  const before = texts.get(values);
  if (before !== undefined) return before === "unknown" ? undefined : before;
  const found = values.map(exactText);
  const known = found.filter((text) => text !== undefined);
  const whole = known.length === found.length ? known : undefined;
  texts.set(values, whole ?? "unknown");
  return whole;
}

function exactText({ value, decimals }: SchemaValue): string | undefined {
  if (decimals === undefined) return JSON.stringify(value);
  const number = decimals.get("");
  return number && decimalText(number);
}

/** `const` (2020-12 Validation, section 6.1.3). */
export const constant: Keyword = keyword({
  name: "const",
  vocabulary: "validation",
  since: "draft-06",
  shape: ANY_VALUE_SHAPE,
  cost: () => 4,
  appliesTo: "any",
  explain: {
    isInexact: (node) => ownLiterals(node) === "inexact",
    wants: (params) =>
      "allowedValue" in params ? { types: [], values: [params["allowedValue"]] } : undefined,
    demand: ({ params: { exact } }) =>
      typeof exact === "string" ? `must be ${plainLine(exact, 80)}` : undefined,
  },
  compile: (node) => {
    const only = node.const;
    if (only === undefined) return undefined;
    const allowed = allowedBy([only]);
    return (run, value, place) => {
      if (allows(run, allowed, value, place)) return true;
      return reportFailure(run, node, "const", value, place, () => {
        const params = { allowedValue: only.value };
        // The value itself, if it is a number that no double holds.
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
  vocabulary: "validation",
  since: "draft-04",
  shape: VALUES_SHAPE,
  cost: ({ enum: values = [] }) => 4 * values.length,
  appliesTo: "any",
  explain: {
    received: "length",
    isInexact: (node) => ownLiterals(node) === "inexact",
    wants: ({ allowedValues: values }) =>
      Array.isArray(values) ? { types: [], values } : undefined,
    demand: ({ params: { exact } }, { list }) =>
      Array.isArray(exact) ? `must be ${list(exact)}` : undefined,
  },
  compile: (node) => {
    const some = node.enum;
    if (some === undefined) return undefined;
    const allowed = allowedBy(some);
    return (run, value, place) => {
      if (allows(run, allowed, value, place)) return true;
      return reportFailure(run, node, "enum", value, place, () => {
        const params = { allowedValues: allowed.values };
        const exact = ownLiterals(node) === "inexact" ? exactJsonTexts(some) : undefined;
        return {
          message: "must be equal to one of the allowed values",
          params: exact === undefined ? params : { ...params, exact },
        };
      });
    };
  },
});
