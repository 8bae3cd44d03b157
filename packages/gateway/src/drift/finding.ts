import type { ValueType } from "./shape.ts";

/** One way in which results are not what the schema says. */
export interface DriftFinding {
  /**
   * - `never_came`: a declared member that no result had
   * - `sometimes_missing`: a required member that some results lacked
   * - `undeclared`: a member that results had and the schema does not name
   * - `unnamed`: members whose names were not kept, since they may be data or were too many, where the
   *   schema says nothing of members that it does not name; `count` counts them all
   * - `other_type`: values of a type that the schema does not allow there
   * - `other_value`: values that a keyword as `minimum`, `enum` or `oneOf` refuses
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
   * In how many results, or items that were looked at, it was so; of `never_came`, in how many it could have
   * come; of `other_value` always in how many results.
   */
  readonly count: number;
  /** Of how many. */
  readonly of: number;
  /** The types that came, the most frequent first. */
  readonly types?: readonly ValueType[];
  /** The types that are declared. */
  readonly declared?: readonly string[];
  /** The keyword that refuses a value, and what the schema says by it if that is not a subschema. */
  readonly keyword?: string;
  readonly says?: unknown;
  /** Whether the schema requires it. */
  readonly required?: boolean;
  /** True if the schema takes no members that it does not name. */
  readonly closed?: boolean;
}

/**
 * Of what it is not known whether a schema takes it:
 * - `parts`: what came where it has branches, conditions or patterns that could not be compared
 * - `values`: values where it limits or lists them, and it is not known whether they are among those
 * - `items`: those of long arrays that were not looked at
 * - `names`: members whose names were not kept, or of which it speaks without their names
 * - `depth`: what is deeper than what is kept, or was too much
 */
export type Unsure = "parts" | "values" | "items" | "names" | "depth";
