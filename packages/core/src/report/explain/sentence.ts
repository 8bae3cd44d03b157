import { pointerTokens } from "../../json/pointer.ts";
import { cutText, plainLine, quote, quotePointer, wordList } from "../../json/quote.ts";
import type { Check, Issue } from "../../result.ts";
import { engineErrorOf, nativeOf } from "../issues/issue.ts";
import { SuggestionLookup } from "../issues/suggestion-lookup.ts";
import { receivedText, requirementText } from "./demand.ts";
import { describeReceived, describeWanted } from "./describe.ts";
import { explainWithin } from "./explain.ts";
import { type Fact, type FactKind, factOf, propertyOf } from "./fact.ts";

/** How a sentence refers to the root, which has no path. */
export type RootName = "the value" | "the arguments" | "the result" | "the message" | "the schema";

/**
 * Maximum UTF-16 code units of a sentence and of a message in it, and maximum number of items in a list of names.
 */
const MAX_SENTENCE = 500;
const MAX_MESSAGE = 400;
const MAX_PATHS = 12;

/** A sentence split into its parts: `/city`, `is required`. */
export interface Clause {
  /** The path, or the name for the root. */
  readonly subject: string;
  /** What is wrong with the subject, or a message that is a sentence by itself. */
  readonly predicate: string;
  /** Whether the predicate is a sentence by itself and needs no subject. */
  readonly isWhole: boolean;
}

/** How a message begins if it describes the place of its issue. */
const PREDICATE = /^(?:must|is|has) /;
const IF_PRESENT = /^must have (?:property|properties) .* when property (.*) is present$/;

/** Returns what an engine message without `params` says about the property that the path names. */
function shortOf(issue: Issue): string | undefined {
  const { path, params, instancePath } = issue;
  const message = nativeOf(issue);
  if (params !== undefined || path === "" || path === instancePath) return undefined;
  const trigger = IF_PRESENT.exec(message)?.[1];
  if (trigger !== undefined) return `is required if ${quote(trigger)} is present`;
  switch (message) {
    case `must have required property '${pointerTokens(path).at(-1)}'`:
      return "is required";
    case "must NOT have additional properties":
    case "must NOT have unevaluated properties":
      return "is not declared";
    case "property name must be valid":
      return "has a name that is not allowed";
    default:
      return undefined;
  }
}

function got(received: string | undefined): string {
  return received === undefined ? "" : ` (got ${received})`;
}

function missing({ params = {} }: Issue): string {
  const { property } = params;
  return `is required${typeof property === "string" ? ` if ${quote(property)} is present` : ""}`;
}

/** Returns what the schema requires of a value or a name: `must be at least 3`. */
export function requirementOf(fact: Fact): string | undefined {
  return fact.wanted === undefined
    ? requirementText(fact)
    : `must be ${describeWanted(fact.wanted)}`;
}

function receivedBy(fact: Fact): string | undefined {
  return fact.wanted === undefined ? receivedText(fact) : describeReceived(fact);
}

/** Returns the declared name that an unknown one may be a misspelling of. */
function nearName(fact: Fact, lookup: SuggestionLookup | undefined): string | undefined {
  const name = propertyOf(fact);
  if (lookup === undefined || fact.error === undefined || name === undefined) return undefined;
  return lookup.namesOf(fact.error).nearestTo(name);
}

function predicateOf(fact: Fact, lookup: SuggestionLookup | undefined): string | undefined {
  const { issue, kind, near, branches = [] } = fact;
  const demand = requirementOf(fact);
  switch (kind) {
    case "missing":
    case "missing_any":
      return missing(issue);
    case "rename":
      return `is not declared, and ${quote(near ?? "")} is required`;
    case "unknown": {
      const name = nearName(fact, lookup);
      return `is not declared${name === undefined ? "" : ` (did you mean ${quote(name)}?)`}`;
    }
    case "ambiguous":
      return `must match exactly one schema in "oneOf" (${wordList(branches, MAX_PATHS, "and")} match)`;
    case "name":
      return `has a name that is not allowed${demand === undefined ? "" : `: it ${demand}`}`;
    default:
      return demand && `${demand}${got(receivedBy(fact))}`;
  }
}

/**
 * Returns what is wrong, judged by the issue's rule, if no schema keyword raised it or no value can satisfy the
 * schema.
 */
function predicateByRule(issue: Issue): string | undefined {
  const { rule, keyword, path } = issue;
  if (rule === "number") {
    return "cannot be held by an IEEE 754 double; programs that parse it change it";
  }
  if (rule === "duplicate" && path !== "")
    return nativeOf(issue).replace(/^the key occurs/i, "occurs");
  if (keyword !== "false schema") return undefined;
  return path === "" ? "cannot be valid: the schema allows no value" : "is not allowed";
}

/** Returns the words of anyone who raised the issue. */
function byMessage(issue: Issue): Omit<Clause, "subject"> {
  const short = shortOf(issue);
  if (short !== undefined) return { predicate: short, isWhole: false };
  const message = nativeOf(issue);
  const isWhole = !PREDICATE.test(message);
  return { predicate: plainLine(message, MAX_MESSAGE), isWhole };
}

function subjectOf({ path, paths }: Fact, whole: RootName): string {
  if (paths !== undefined)
    return wordList(
      paths.map((each) => quotePointer(each)),
      MAX_PATHS,
    );
  return quotePointer(path, whole);
}

function clauseOf(fact: Fact, whole: RootName, lookup?: SuggestionLookup): Clause {
  const { issue } = fact;
  const predicate = predicateByRule(issue) ?? predicateOf(fact, lookup);
  const words =
    predicate === undefined
      ? byMessage(issue)
      : { predicate: plainLine(predicate, MAX_SENTENCE), isWhole: false };
  return { subject: subjectOf(fact, whole), ...words };
}

function clauseText({ subject, predicate, isWhole }: Clause, path: string): string {
  if (isWhole && path === "") return predicate;
  return cutText(`${subject}${isWhole ? ": " : " "}${predicate}`, MAX_SENTENCE);
}

/**
 * Returns an issue as a clause about its place, for pages that show the place apart from the words. See {@link
 * describeIssue} for what the words contain.
 */
export function issueClause(issue: Issue, whole: RootName = "the value"): Clause {
  return clauseOf(factOf(issue, engineErrorOf(issue)), whole);
}

/**
 * Returns an issue as one sentence for people: `/city is required`, `/units must be one of "C", "F" (got a string of
 * 6 characters)`. The engine's message describes the object that lacks a property; this sentence describes the
 * property that the path names. Issues that were read back from JSON are described by their `params`; one without
 * `params`, or with a keyword that no schema has, by its message.
 *
 * Contains no value of the payload, at most 500 characters, no line break, no control or hidden character and no
 * markup.
 * @param whole the name for the root
 */
export function describeIssue(issue: Issue, whole: RootName = "the value"): string {
  return clauseText(issueClause(issue, whole), issue.path);
}

/** A clause about a check, and how many of its issues it covers. */
export interface CheckClause extends Clause {
  readonly kind: FactKind;
  /** The first of these issues, or the one that composes the others. */
  readonly issue: Issue;
  readonly path: string;
  readonly issues: number;
}

/** Returns the sentences of {@link describeCheck}, each split into its parts. */
export function checkClauses(
  check: Pick<Check, "errors">,
  whole: RootName = "the value",
  most: number = Number.POSITIVE_INFINITY,
): readonly CheckClause[] {
  const lookup = new SuggestionLookup();
  return explainWithin(check, lookup)
    .slice(0, most)
    .map((fact) => {
      const { kind, issue, path, issues } = fact;
      return { kind, issue, path, issues, ...clauseOf(fact, whole, lookup) };
    });
}

/** A sentence about a check, and how many of its issues it covers. */
export interface Sentence {
  readonly path: string;
  readonly text: string;
  readonly issues: number;
}

/**
 * Returns the errors of a check as sentences for people, in their order. Issues that amount to one thing, as
 * `explainCheck` finds them, are one sentence: for an `anyOf` or `oneOf`, what the closest branch requires. See
 * {@link describeIssue} for what a sentence contains.
 * @param most the maximum number of sentences
 */
export function describeCheck(
  check: Pick<Check, "errors">,
  whole: RootName = "the value",
  most: number = Number.POSITIVE_INFINITY,
): readonly Sentence[] {
  return checkClauses(check, whole, most).map(({ path, issues, ...clause }) => ({
    path,
    text: clauseText(clause, path),
    issues,
  }));
}
