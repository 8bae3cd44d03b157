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
   */
  readonly kind: "never_came" | "sometimes_missing" | "undeclared" | "unnamed" | "other_type";
  /** RFC 6901 pointer; `*` stands for every item of an array. */
  readonly path: string;
  /** In how many results, or items that were looked at, it was so; of `never_came`, in how many it could have come. */
  readonly count: number;
  /** Of how many. */
  readonly of: number;
  /** The types that came, the most frequent first. */
  readonly types?: readonly ValueType[];
  /** The types that are declared. */
  readonly declared?: readonly string[];
  /** Whether the schema requires it. */
  readonly required?: boolean;
  /** True where the schema takes no members that it does not name. */
  readonly closed?: boolean;
}
