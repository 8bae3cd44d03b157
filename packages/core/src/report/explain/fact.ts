import type { KeywordError } from "../../engine/context.ts";
import { isObject } from "../../json/value.ts";
import { ownLiterals } from "../../keywords/equality.ts";
import type { AllowedValues } from "../../keywords/explain.ts";
import { explanationOf, keywordNamed, ruleOfKeyword } from "../../keywords/index.ts";
import { propertyNode } from "../../keywords/literals.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import type { Issue } from "../../result.ts";
import { satisfies } from "../issues/default.ts";
import { fieldPath } from "../issues/issue.ts";
import type { CheckingSchema } from "../issues/issue-subject.ts";
import { isClose, type SuggestionBudget } from "../issues/nearest.ts";

/** Longer names, in UTF-16 code units, are not compared. */
const MAX_CLOSE = 64;

/**
 * What kind of thing is wrong.
 *
 * - `wanted`: a value of the wrong type, or not one of the allowed values; `wanted` lists what may be there
 * - `missing`: a required property is not there; has `wanted` if it has few allowed values
 * - `missing_any`: at least one of several properties is required; `paths` names them
 * - `unknown`: a property that is not declared
 * - `rename`: an unknown property that is a required one in another spelling; `near` is its name
 * - `move`: members that belong in another object; `moves` has their places. Only in texts for models
 * - `ambiguous`: more than one branch of a `oneOf` matches; `branches` names them
 * - `name`: the name of a property is not allowed
 * - `other`: every other keyword; the issue's message says what is wrong
 */
export type FactKind =
  | "wanted"
  | "missing"
  | "missing_any"
  | "unknown"
  | "rename"
  | "move"
  | "ambiguous"
  | "name"
  | "other";

/** Members that belong in another object. */
export interface MemberMoves {
  /** Pairs of pointers. */
  readonly places: readonly (readonly [from: string, to: string])[];
  /** The object that is left without members when these are moved. */
  readonly emptied?: string;
  /** The string that holds the members as JSON text; the pairs lead into its value. */
  readonly text?: string;
}

/** A value, at a place other than the one where it was sent. */
export interface MovedValue {
  readonly path: string;
  readonly value: unknown;
  readonly node: SchemaNode;
}

/** One thing to report about a value: an issue, or a pile of issues that amount to one. */
export interface Fact {
  readonly kind: FactKind;
  /** RFC 6901 pointer to the property or value that it is about. */
  readonly path: string;
  /** The reported issue; for a pile, that of the composite or of its closest branch. */
  readonly issue: Issue;
  /** The engine's error behind the issue, if it is known. */
  readonly error?: KeywordError;
  /** The error of the `anyOf` or `oneOf` whose branches all want another type or value; `error` is that of a branch. */
  readonly union?: KeywordError;
  /** The branches of unions that the error is in, innermost first. */
  readonly within?: readonly CheckingSchema[];
  /** For a member that distinguishes the branches: the schemas of its value in each branch that may have been meant. */
  readonly choices?: readonly SchemaNode[];
  /** How many of the check's issues it represents. */
  readonly issues: number;
  readonly wanted?: AllowedValues;
  readonly paths?: readonly string[];
  readonly branches?: readonly string[];
  readonly near?: string;
  readonly moves?: MemberMoves;
  /** Values that belong at another place, with the schema for it. */
  readonly placed?: readonly MovedValue[];
  /**
   * Pointers to undeclared members beside a missing one, and the pointer to the one that was probably meant as the
   * missing one.
   */
  readonly sent?: readonly string[];
  readonly meant?: string;
  /** The `title` of that branch, if it has one. */
  readonly title?: string;
  /** The number of branches that might have been meant, of which this is the closest; absent for one. */
  readonly alternatives?: number;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function wantedBy({ keyword, params = {} }: Issue): AllowedValues | undefined {
  return explanationOf(keyword).wants?.(params);
}

/** Issues about a name have rule `extra`, whichever keyword the name fails. */
function isAboutName({ keyword, rule }: Issue, error: KeywordError | undefined): boolean {
  const isOfNames = keywordNamed(keyword)?.where === "names";
  if (isOfNames || error?.propertyName !== undefined) return true;
  return rule === "extra" && keyword !== undefined && ruleOfKeyword(keyword) !== "extra";
}

/** Returns the fact that one issue reports by itself. */
export function factOf(issue: Issue, error: KeywordError | undefined): Fact {
  const { params = {} } = issue;
  const common = {
    path: fieldPath(issue),
    issue,
    issues: 1,
    ...(error === undefined ? {} : { error }),
  };
  const isOfName = isAboutName(issue, error);
  if (!isOfName && text(params["missingProperty"]) !== undefined) {
    return { ...common, kind: "missing" };
  }
  const unknown = text(params["additionalProperty"] ?? params["unevaluatedProperty"]);
  if (!isOfName && unknown !== undefined) return { ...common, kind: "unknown" };
  // A number that its double does not represent exactly must not be reported as that double.
  const isInexact =
    params["exact"] !== undefined || (error !== undefined && ownLiterals(error.node) === "inexact");
  const wanted = isInexact ? undefined : wantedBy(issue);
  if (isOfName) return { ...common, kind: "name", ...(wanted && { wanted }) };
  return wanted === undefined
    ? { ...common, kind: "other" }
    : { ...common, kind: "wanted", wanted };
}

/** Returns the property that a fact of kind `missing` or `unknown` is about. */
export function propertyOf({ issue: { params = {} } }: Fact): string | undefined {
  return (
    text(params["missingProperty"]) ??
    text(params["additionalProperty"]) ??
    text(params["unevaluatedProperty"])
  );
}

/**
 * Returns whether an undeclared member is likely to be the property `near` in another spelling: it is close, or its
 * value is one that the property may have. False for an error whose value is not an object.
 */
export function isOtherSpelling(
  { error }: Fact,
  name: string,
  near: string,
  effort: SuggestionBudget,
): boolean {
  if (error === undefined || !isObject(error.data)) return false;
  if (name.length <= MAX_CLOSE && near.length <= MAX_CLOSE && isClose(name, near)) return true;
  const node = propertyNode(error.node, near);
  return node === undefined || satisfies(node, error.data[name], effort);
}
