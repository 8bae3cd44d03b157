import type { SchemaError } from "../../engine/context.ts";
import { ownLiterals } from "../../keywords/equality.ts";
import type { Wanted } from "../../keywords/explain.ts";
import { explained, keywordNamed, ruleOf } from "../../keywords/index.ts";
import type { Issue } from "../../result.ts";
import { fieldPath } from "../issues/issue.ts";

/**
 * What kind of thing is wrong.
 *
 * - `wanted`: a value of the wrong type, or not one of the allowed values; `wanted` lists what may be there
 * - `missing`: a required property is not there; has `wanted` if it has few allowed values
 * - `missing_any`: at least one of several properties is required; `paths` names them
 * - `unknown`: a property that is not declared
 * - `rename`: an unknown property that is a required one in another spelling; `near` is its name
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
  | "ambiguous"
  | "name"
  | "other";

/** One thing to report about a value: an issue, or a pile of issues that amount to one. */
export interface Fact {
  readonly kind: FactKind;
  /** RFC 6901 pointer to the property or value that it is about. */
  readonly path: string;
  /** The reported issue; for a pile, that of the composite or of its closest branch. */
  readonly issue: Issue;
  /** The engine's error behind the issue, if it is known. */
  readonly error?: SchemaError;
  /** How many of the check's issues it stands for. */
  readonly issues: number;
  readonly wanted?: Wanted;
  readonly paths?: readonly string[];
  readonly branches?: readonly string[];
  readonly near?: string;
  /** The `title` of that branch, if it has one. */
  readonly title?: string;
  /** The number of branches that might have been meant, of which this is the closest; absent for one. */
  readonly alternatives?: number;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function wantedBy({ keyword, params = {} }: Issue): Wanted | undefined {
  return explained(keyword).wants?.(params);
}

/** Issues about a name have rule `extra`, whichever keyword the name fails. */
function isAboutName({ keyword, rule }: Issue, error: SchemaError | undefined): boolean {
  const isOfNames = keywordNamed(keyword)?.where === "names";
  if (isOfNames || error?.propertyName !== undefined) return true;
  return rule === "extra" && keyword !== undefined && ruleOf(keyword) !== "extra";
}

/** Returns the fact that one issue reports by itself. */
export function factOf(issue: Issue, error: SchemaError | undefined): Fact {
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
