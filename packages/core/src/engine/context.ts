import type { SchemaNode } from "../keywords/node.ts";
import type { IssueWording } from "../keywords/run.ts";
import type { Rule as IssueRule, TreatmentCounts } from "../result.ts";
import type { RuleSet, Treatment } from "../treatment.ts";

/** One failed keyword, with Ajv's words and parameters. */
export interface KeywordError extends IssueWording {
  /** RFC 6901 pointer to the value that was checked. */
  readonly instancePath: string;
  /** URI fragment of the keyword in the author's document. */
  readonly schemaPath: string;
  /** The keyword as its author wrote it; `false schema` for the schema `false`. */
  readonly keyword: string;
  /** Set for an error about a property's name; `instancePath` is then the object's. */
  readonly propertyName?: string;
  /** The value that was checked. */
  readonly data: unknown;
  /** The schema in which the keyword is. */
  readonly node: SchemaNode;
  /** The schema of the whole value. */
  readonly root: SchemaNode;
}

/** How the issues of a check count. */
export interface IssueTreatments {
  readonly rules: RuleSet;
  /** How undeclared members count if no rule names their place. */
  readonly undeclared?: Treatment | undefined;
}

/** Why a value is not valid. */
export interface FailureExplanation {
  /** The first errors, in Ajv's order, violations first; none for a valid value. */
  readonly errors: readonly KeywordError[];
  /** The total number of errors. */
  readonly total: number;
  /**
   * Issues by class over all errors. A failed `anyOf` or `oneOf` counts once, together with the errors of its
   * branches, in the class that the issues of the closest branches share, else as `value`, whatever the order of the
   * branches.
   */
  readonly counts: Readonly<Partial<Record<IssueRule, number>>>;
  /** Present if rules were given. */
  readonly treated?: TreatmentCounts;
}
