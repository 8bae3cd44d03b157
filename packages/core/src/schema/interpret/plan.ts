import type { SchemaGraph, SchemaNode } from "../graph/node.ts";
import type { TypeName } from "../type-name.ts";
import { ARRAY_RULES } from "./keywords/array.ts";
import { COMPOSITE_RULES, REFERENCE_RULES } from "./keywords/composite.ts";
import { EQUALITY_RULES } from "./keywords/equality.ts";
import { NUMBER_RULES } from "./keywords/number.ts";
import { OBJECT_RULES } from "./keywords/object.ts";
import { STRING_RULES } from "./keywords/string.ts";
import type { Rule, Vocabulary } from "./rule.ts";

/**
 * The kinds of JSON values, those with keywords of their own first and in the order in which Ajv
 * applies these. `OTHER` is what no JSON text holds.
 */
export const KIND = {
  NUMBER: 0,
  STRING: 1,
  ARRAY: 2,
  OBJECT: 3,
  BOOLEAN: 4,
  NULL: 5,
  OTHER: 6,
} as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

const KIND_OF_TYPE: Readonly<Record<Exclude<TypeName, "integer">, Kind>> = {
  number: KIND.NUMBER,
  string: KIND.STRING,
  array: KIND.ARRAY,
  object: KIND.OBJECT,
  boolean: KIND.BOOLEAN,
  null: KIND.NULL,
};

/** The bit for `integer` in a set of types; the others have `1 << kind`. */
export const INTEGER: number = 1 << 7;

const UNTYPED: Vocabulary = [...REFERENCE_RULES, ...EQUALITY_RULES, ...COMPOSITE_RULES];
const TYPED: readonly Vocabulary<never>[] = [NUMBER_RULES, STRING_RULES, ARRAY_RULES, OBJECT_RULES];

/** What is to be done for a schema, made once for each. */
export interface Plan {
  /** The set of types that `type` allows; 0 where it is absent. */
  readonly types: number;
  /**
   * The kind of whose keywords `type` is judged with, where it is not first: a single type with
   * keywords of its own is judged in their stead, as Ajv does.
   */
  readonly typeAt: Kind | -1;
  readonly untyped: readonly Rule[];
  /** By kind. */
  readonly typed: readonly (readonly Rule[])[];
}

function rulesOf<T>(node: SchemaNode, vocabulary: Vocabulary<T>): Rule[] {
  const rules: Rule[] = [];
  for (const [keyword, rule] of vocabulary) {
    // Rules of a vocabulary meet only values of its kind.
    if (node[keyword] !== undefined) rules.push(rule as Rule);
  }
  return rules;
}

function planOf(node: SchemaNode): Plan {
  const typed = TYPED.map((vocabulary) => rulesOf(node, vocabulary));
  let types = 0;
  for (const name of node.type ?? []) {
    types |= name === "integer" ? INTEGER : 1 << KIND_OF_TYPE[name];
  }
  const [only, ...more] = node.type ?? [];
  let typeAt: Plan["typeAt"] = -1;
  if (only !== undefined && only !== "integer" && more.length === 0) {
    const kind = KIND_OF_TYPE[only];
    const unevaluated =
      (kind === KIND.ARRAY && node.unevaluatedItems !== undefined) ||
      (kind === KIND.OBJECT && node.unevaluatedProperties !== undefined);
    if (unevaluated || (typed[kind]?.length ?? 0) > 0) typeAt = kind;
  }
  return { types, typeAt, untyped: rulesOf(node, UNTYPED), typed };
}

const known = new WeakMap<SchemaGraph, (Plan | undefined)[]>();

/** The plans of a graph's nodes by their ids, to be filled by {@link planFor}. */
export function plansOf(graph: SchemaGraph): (Plan | undefined)[] {
  let plans = known.get(graph);
  if (plans === undefined) {
    plans = new Array<Plan | undefined>(graph.nodes.length).fill(undefined);
    known.set(graph, plans);
  }
  return plans;
}

/** The plan of a node, made when it is first met. */
export function planFor(plans: (Plan | undefined)[], node: SchemaNode): Plan {
  const made = plans[node.id] ?? planOf(node);
  plans[node.id] = made;
  return made;
}
