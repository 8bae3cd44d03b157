import { createHash } from "node:crypto";
import { type Issue, isSchemaRule, placeKey, RULES } from "@touchstone/core/advanced";
import { REDACTED } from "@touchstone/util";
import type { ProblemKey } from "../problem-key.ts";
import { countedIssues, isUndeclared } from "../rollout/places.ts";

export type { ProblemKey } from "../problem-key.ts";

/** The longest place that is kept, in UTF-16 code units. Longer ones end in an ellipsis. */
export const MOST_PLACE = 256;
const MOST_KEYWORD = 64;
/** The longest issue that is kept completely, as JSON text. A longer one is kept without its parameters. */
const MOST_ISSUE = 2_048;
const MOST_MESSAGE = 256;

/** One problem of a record: its key, its id, and the issue as JSON text. */
export interface FoundProblem extends ProblemKey {
  readonly id: string;
  readonly issue: string;
}

/** A decision about a call, as its record has it. */
export interface Decided {
  readonly server: string | null;
  readonly tool: string;
  readonly direction: string | null;
  readonly outcome: string | null;
  /** JSON text of the list of issues. */
  readonly issues: string;
  /** How many more issues there were than the record has. */
  readonly truncated: number | null;
}

/** Returns the id of a problem: the same in every store. */
export function problemId({ server, tool, direction, place, rule, keyword }: ProblemKey): string {
  return createHash("sha256")
    .update(JSON.stringify([server, tool, direction, place, rule, keyword]))
    .digest("hex")
    .slice(0, 20);
}

/**
 * Returns the problems of a decision, each once. Issues inside a union count as the union, as in a rollout. Issues of
 * policy and pins are not problems of a call.
 *
 * @returns `isWhole`: whether each issue is in one of them. Not if the record lacks issues, or is erased or damaged
 */
export function problemsIn(decided: Decided): {
  readonly problems: readonly FoundProblem[];
  readonly isWhole: boolean;
} {
  const all = issuesOf(decided.issues);
  if (all === undefined) return { problems: [], isWhole: false };
  const issues = all.filter(({ rule }) => rule !== "policy");
  if (issues.length < all.length && issues.length === 0) return { problems: [], isWhole: true };
  const found = new Map<string, FoundProblem>();
  const known = issues.filter((issue) => !isErased(issue));
  for (const [, as] of countedIssues(known)) {
    const problem = problemOf(decided, as as Issue);
    found.set(problem.id, problem);
  }
  if (all.length === 0) {
    const problem = problemOf(decided, withoutIssue(decided));
    found.set(problem.id, problem);
  }
  const isWhole = known.length === issues.length && (decided.truncated ?? 0) === 0;
  return { problems: [...found.values()], isWhole };
}

function issuesOf(text: string): readonly Issue[] | undefined {
  try {
    const all: unknown = JSON.parse(text);
    return Array.isArray(all) && all.every(isIssue) ? all : undefined;
  } catch {
    return undefined;
  }
}

function isIssue(value: unknown): value is Issue {
  const issue = value as Partial<Issue> | null;
  return typeof issue?.path === "string" && RULES.some((rule) => rule === issue.rule);
}

/** Of an erased record's issues, only the classes are left. */
function isErased({ path, message, keyword }: Issue): boolean {
  return path === "" && message === "erased" && keyword === undefined;
}

/** The issue for a decision that names none: the outcome of the check. */
function withoutIssue({ outcome }: Decided): Issue {
  const rule = outcome === "guard" || outcome === "budget" ? outcome : "schema";
  return { path: "", message: outcome ?? "unknown", rule };
}

function problemOf({ server, tool, direction }: Decided, issue: Issue): FoundProblem {
  const key = {
    server: server ?? "",
    tool,
    direction: direction ?? "",
    place: cut(storable(anyItem(issue.path)), MOST_PLACE),
    rule: issue.rule,
    keyword: cut(storable(issue.keyword ?? ""), MOST_KEYWORD),
  };
  return { ...key, id: problemId(key), issue: issueText(issue, key.place) };
}

/** Returns the key of `rules` for a place, in any item of an array. */
function anyItem(path: string): string {
  return placeKey(path).replace(/\/(?:0|[1-9]\d*)(?=\/|$)/g, "/*");
}

/** Cuts a text before characters that PostgreSQL cannot store: U+0000, and half of a surrogate pair. */
function storable(text: string): string {
  const ends = [text.indexOf("\0"), text.search(/\p{Surrogate}/u)].filter((at) => at >= 0);
  return ends.length === 0 ? text : `${text.slice(0, Math.min(...ends))}…`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

function issueText({ message, rule, keyword, params }: Issue, path: string): string {
  const brief = {
    path,
    message: cut(String(message), MOST_MESSAGE),
    rule,
    ...(keyword === undefined ? {} : { keyword: cut(keyword, MOST_KEYWORD) }),
  };
  const whole = JSON.stringify(params === undefined ? brief : { ...brief, params });
  return whole.length <= MOST_ISSUE ? whole : JSON.stringify(brief);
}

/**
 * Returns the narrowest setting that allows a problem: a key of `rules`, or the setting for undeclared arguments;
 * undefined if there is none.
 */
export function allowingKey({
  direction,
  place,
  rule,
  keyword,
}: ProblemKey): { readonly rule: string } | "undeclared" | undefined {
  if ((direction !== "input" && direction !== "output") || !isSchemaRule(rule)) return undefined;
  // Records remove secrets from names, and cut long ones.
  const isWhole = place !== "" && !place.includes(REDACTED) && !place.endsWith("…");
  if (isWhole && rule !== "guard" && rule !== "budget") return { rule: place };
  return isUndeclared({ path: place, rule: rule as Issue["rule"], keyword })
    ? "undeclared"
    : { rule };
}
