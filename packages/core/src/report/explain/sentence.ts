import { pointerTokens } from "../../json/pointer.ts";
import { cut, plain, quote, quotePointer, wordList } from "../../json/quote.ts";
import type { Check, Issue } from "../../result.ts";
import { sourceOf } from "../issues/issue.ts";
import { Lookup } from "../issues/lookup.ts";
import { demandOf, receivedFor } from "./demand.ts";
import { describeReceived, describeWanted } from "./describe.ts";
import { explainWithin } from "./explain.ts";
import { type Fact, type FactKind, factOf, propertyOf } from "./fact.ts";

/** What a sentence calls the root, which has no path. */
export type Whole = "the value" | "the arguments" | "the result" | "the message" | "the schema";

/** Most UTF-16 code units of a sentence, of a message in it that is not the engine's, and of what one path is called. */
const MAX_SENTENCE = 500;
const MAX_MESSAGE = 400;
const MAX_PATHS = 12;

/** A sentence in its parts: `/city`, `is required`. */
export interface Clause {
  /** The path, or what the root is called. */
  readonly subject: string;
  /** What is wrong with it, or a message that is a sentence by itself. */
  readonly predicate: string;
  /** Whether the predicate is a sentence by itself, which needs no subject. */
  readonly isWhole: boolean;
}

/** How a message begins that says something of the place of its issue. */
const PREDICATE = /^(?:must|is|has) /;
const IF_PRESENT = /^must have (?:property|properties) .* when property (.*) is present$/;

/** What a message of the engine says of the property that the path names, without `params`. */
function shortOf({ message, path, params, instancePath }: Issue): string | undefined {
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

/** What the schema requires of a value or a name: `must be at least 3`. */
export function requirementOf(fact: Fact): string | undefined {
  return fact.wanted === undefined ? demandOf(fact) : `must be ${describeWanted(fact.wanted)}`;
}

function receivedBy(fact: Fact): string | undefined {
  return fact.wanted === undefined ? receivedFor(fact) : describeReceived(fact);
}

/** The declared name that an unknown one may be a misspelling of. */
function nearName(fact: Fact, lookup: Lookup | undefined): string | undefined {
  const name = propertyOf(fact);
  if (lookup === undefined || fact.error === undefined || name === undefined) return undefined;
  return lookup.namesOf(fact.error).nearestTo(name);
}

function predicateOf(fact: Fact, lookup: Lookup | undefined): string | undefined {
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

/** What is wrong by the class of an issue that no keyword of a schema raised, or that no value satisfies. */
function predicateByRule({ rule, keyword, message, path }: Issue): string | undefined {
  if (rule === "number") {
    return "cannot be held by an IEEE 754 double; programs that parse it change it";
  }
  if (rule === "duplicate" && path !== "") return message.replace(/^the key occurs/i, "occurs");
  if (keyword !== "false schema") return undefined;
  return path === "" ? "cannot be valid: the schema allows no value" : "is not allowed";
}

/** The words of whoever raised the issue. */
function byMessage(issue: Issue): Omit<Clause, "subject"> {
  const short = shortOf(issue);
  if (short !== undefined) return { predicate: short, isWhole: false };
  const { message } = issue;
  const isWhole = !PREDICATE.test(message);
  return { predicate: plain(message, MAX_MESSAGE), isWhole };
}

function subjectOf({ path, paths }: Fact, whole: Whole): string {
  if (paths !== undefined)
    return wordList(
      paths.map((each) => quotePointer(each)),
      MAX_PATHS,
    );
  return quotePointer(path, whole);
}

function clauseOf(fact: Fact, whole: Whole, lookup?: Lookup): Clause {
  const { issue } = fact;
  const predicate = predicateByRule(issue) ?? predicateOf(fact, lookup);
  const words =
    predicate === undefined
      ? byMessage(issue)
      : { predicate: plain(predicate, MAX_SENTENCE), isWhole: false };
  return { subject: subjectOf(fact, whole), ...words };
}

function textOf({ subject, predicate, isWhole }: Clause, path: string): string {
  if (isWhole && path === "") return predicate;
  return cut(`${subject}${isWhole ? ": " : " "}${predicate}`, MAX_SENTENCE);
}

/**
 * Returns an issue as a clause about its place, for pages that show the place apart from the words.
 * {@link describeIssue} says what the words hold.
 */
export function issueClause(issue: Issue, whole: Whole = "the value"): Clause {
  return clauseOf(factOf(issue, sourceOf(issue)), whole);
}

/**
 * Returns an issue as one sentence for people: `/city is required`, `/units must be one of "C", "F" (got a string of
 * 6 characters)`. The message of an issue is the engine's, and speaks of the object that lacks a property; this speaks
 * of the property that the path names. Issues that were read back from JSON are described by their `params`; one
 * without them, or of a keyword that no schema has, by its message.
 *
 * Holds no value of the payload, at most 500 characters, no line break, no control or hidden character and no markup.
 * @param whole what the root is called
 */
export function describeIssue(issue: Issue, whole: Whole = "the value"): string {
  return textOf(issueClause(issue, whole), issue.path);
}

/** A clause about a check, and how many of its issues it stands for. */
export interface CheckClause extends Clause {
  readonly kind: FactKind;
  /** The first of them, or the one that composes the others. */
  readonly issue: Issue;
  readonly path: string;
  readonly issues: number;
}

/** Returns what {@link describeCheck} returns, each sentence in its parts. */
export function checkClauses(
  check: Pick<Check, "errors">,
  whole: Whole = "the value",
  most: number = Number.POSITIVE_INFINITY,
): readonly CheckClause[] {
  const lookup = new Lookup();
  return explainWithin(check, lookup)
    .slice(0, most)
    .map((fact) => {
      const { kind, issue, path, issues } = fact;
      return { kind, issue, path, issues, ...clauseOf(fact, whole, lookup) };
    });
}

/** A sentence about a check, and how many of its issues it stands for. */
export interface Sentence {
  readonly path: string;
  readonly text: string;
  readonly issues: number;
}

/**
 * Returns the errors of a check as sentences for people, in their order. Issues that come to one thing are one
 * sentence, as `explainCheck` finds them: of an `anyOf` or `oneOf` what the closest branch requires.
 * {@link describeIssue} says what a sentence holds.
 * @param most how many are returned
 */
export function describeCheck(
  check: Pick<Check, "errors">,
  whole: Whole = "the value",
  most: number = Number.POSITIVE_INFINITY,
): readonly Sentence[] {
  return checkClauses(check, whole, most).map(({ path, issues, ...clause }) => ({
    path,
    text: textOf(clause, path),
    issues,
  }));
}
