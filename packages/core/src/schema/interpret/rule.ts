import type { JsonObject } from "../../json/object.ts";
import type { Budget } from "../budget.ts";
import type { SchemaNode } from "../graph/node.ts";
import type { Context, Wording } from "./context.ts";
import type { Place } from "./place.ts";
import type { Report } from "./report.ts";

/**
 * An annotation result (JSON Schema 2020-12 Core, section 11) at the value's location. For objects
 * the name of an evaluated property, for arrays the index of an evaluated item, or `-n` for the
 * first `n` items; null where all are evaluated.
 */
export type Mark = string | number | null;

/**
 * The annotations that were collected at one location, in order, so that those of a schema that
 * fails are dropped by cutting the list. Undefined where no schema around asks for them.
 */
export type Marks = Mark[] | undefined;

/** What keywords need of the run that they are part of. */
export interface Run {
  readonly budget: Budget;
  readonly context: Context;
  /** Collects errors; undefined in a run, or a part of one, that asks for the verdict only. */
  readonly report: Report | undefined;
  /**
   * Applies a schema.
   * @param place undefined where neither errors nor exact numbers need it.
   * @throws BudgetError where steps or depth are used up.
   */
  evaluate(node: SchemaNode, value: unknown, place: Place | undefined, marks: Marks): boolean;
  /** {@link evaluate} for the verdict only: nothing is reported. */
  test(node: SchemaNode, value: unknown, place: Place | undefined, marks: Marks): boolean;
  /** The place of an element or member. */
  below(place: Place | undefined, token: string | number): Place | undefined;
  /** `Object.keys`, remembered for the last object. */
  keysOf(value: JsonObject): readonly string[];
}

/**
 * Judges a value by one keyword of a schema that has it. Without a report it ends at the first
 * failure; with one it reports every failure.
 */
export type Rule<T = unknown> = (
  run: Run,
  node: SchemaNode,
  value: T,
  place: Place | undefined,
  marks: Marks,
) => boolean;

/** Keywords with their rules, in the order in which Ajv applies them. */
export type Vocabulary<T = unknown> = readonly (readonly [keyof SchemaNode, Rule<T>])[];

/**
 * Reports a failure where errors are asked for.
 * @param property the one that is missing, not declared or badly named
 * @returns false
 */
export function fail(
  run: Run,
  node: SchemaNode,
  keyword: string,
  value: unknown,
  place: Place | undefined,
  wording: () => Wording,
  property?: string,
): false {
  const about = property === undefined ? undefined : { property };
  run.report?.add(node, keyword, value, place, wording, about);
  return false;
}

/** Drops the annotations of a schema that failed (2020-12 Core, section 7.7.1). */
export function cutMarks(marks: Marks, length: number): void {
  if (marks !== undefined) marks.length = length;
}

/** Whether the object has the property as its own. A member that is undefined is none in JSON. */
export function hasProperty(value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

/** The steps for reading a text once. */
export function textCost(text: string): number {
  return 1 + (text.length >>> 5);
}
