import type { ValueType } from "./shape.ts";

/** One way in which results differ from the schema. */
export interface DriftFinding {
  /**
   * - `never_came`: a declared member that no result had
   * - `sometimes_missing`: a required member that some results lacked
   * - `undeclared`: a member in results that the schema does not name
   * - `unnamed`: members whose names were not kept, because they may be data or were too many, if the schema says
   *   nothing about other members; `count` counts them all
   * - `other_type`: values of a type that the schema does not allow there
   * - `other_value`: values that a keyword such as `minimum`, `enum` or `oneOf` refuses
   */
  readonly kind:
    | "never_came"
    | "sometimes_missing"
    | "undeclared"
    | "unnamed"
    | "other_type"
    | "other_value";
  /** RFC 6901 pointer; `*` stands for every item of an array. */
  readonly path: string;
  /**
   * In how many results, or items, it occurred; for `never_came`, in how many it could have occurred; for
   * `other_value` always in how many results.
   */
  readonly count: number;
  /** The total of these. */
  readonly of: number;
  /** The types that came, the most frequent first. */
  readonly types?: readonly ValueType[];
  /** The types that are declared. */
  readonly declared?: readonly string[];
  /** The keyword that refuses a value, and its value in the schema unless that is a subschema. */
  readonly keyword?: string;
  readonly says?: unknown;
  /** Whether the schema requires it. */
  readonly required?: boolean;
  /** Whether the schema accepts no members that it does not name. */
  readonly closed?: boolean;
}

/**
 * Values of which it is unknown whether a schema accepts them:
 * - `parts`: values under branches, conditions or patterns that could not be compared
 * - `values`: values under limits or lists, where it is unknown whether they satisfy them
 * - `items`: unread items of long arrays
 * - `names`: members whose names were not kept, or that the schema describes without names
 * - `depth`: values below the kept depth, or beyond the limit
 */
export type Unsure = "parts" | "values" | "items" | "names" | "depth";
