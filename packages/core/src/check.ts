import {
  type CheckOptions,
  type Limits,
  limitsOf,
  type TextCheckOptions,
} from "./check-options.ts";
import { messageOf, type SchemaError } from "./document/fault.ts";
import type { FailureExplanation, KeywordError } from "./engine/context.ts";
import type { Instance } from "./engine/engine.ts";
import { decimalsOf, NO_DECIMALS, restoreNumberTypes } from "./json/exact.ts";
import { exceedsLimit, measureValue } from "./json/measure.ts";
import { parsePlain } from "./json/parse.ts";
import { cutText } from "./json/quote.ts";
import type { JsonScan, LossyNumber, ScanError } from "./json/range.ts";
import { scanJson } from "./json/scan.ts";
import { decodeUtf8, encodeTransient, encodeUtf8 } from "./json/text.ts";
import { skipSpace } from "./json/walk.ts";
import { type Budget, BudgetError } from "./keywords/run.ts";
import type { SchemaChecker } from "./read.ts";
import {
  loopOverBudget,
  overBudget,
  payloadTooDeep,
  payloadTooLarge,
  refusedCheck,
  uncompilableCheck,
} from "./refuse.ts";
import { worded } from "./report/explain/worded.ts";
import { boundIssues } from "./report/issues/bound.ts";
import { issueOf } from "./report/issues/issue.ts";
import { suggest } from "./report/issues/suggest.ts";
import { type Check, type Issue, PASS } from "./result.ts";

/** A schema to check values against, or why it cannot be used. */
export type SchemaOrFault = SchemaChecker | SchemaError;

function isFault(judge: SchemaOrFault): judge is SchemaError {
  return "code" in judge;
}

/** Matches only lone surrogates: with the flag "u", a surrogate pair is one character. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

function numberWarnings(
  lossy: readonly LossyNumber[],
  { maxIssues, maxText, isPlain }: Limits,
): readonly Issue[] {
  const issue = ({ path, source }: LossyNumber): Issue => ({
    path,
    message: `the number ${cutText(source, 40)} cannot be held by an IEEE 754 double; programs that parse it change it`,
    rule: "number",
  });
  const { length } = lossy;
  const shown = (i: number): Issue => {
    const found = issue(lossy[i] as LossyNumber);
    return isPlain ? worded(found) : found;
  };
  return boundIssues(length, shown, maxIssues, maxText).issues;
}

function violation(
  { engine: { graph } }: SchemaChecker,
  { errors, total, counts, treated }: FailureExplanation,
  { maxIssues, maxText, paths, isPlain }: Limits,
): Check {
  // A negative result without errors would have no class of issue, and a policy might accept it.
  if (errors.length === 0) return overBudget("the value has no issues and is not valid");
  const shown = (i: number): Issue => {
    const issue = issueOf(errors[i] as KeywordError, paths);
    return isPlain ? worded(issue) : issue;
  };
  const { issues } = boundIssues(errors.length, shown, maxIssues, maxText);
  const more = total - issues.length;
  const heeded = Math.min(treated?.heeded ?? issues.length, issues.length);
  return {
    valid: false,
    outcome: "violation",
    errors: issues,
    warnings: [],
    suggestions: suggest(errors.slice(0, heeded), !graph.lossy),
    ...(more > 0 ? { truncated: more } : {}),
    counts,
    ...(treated && {
      treated: { ...treated, heeded, more: treated.more + treated.heeded - heeded },
    }),
  };
}

/** The check needs more steps than it may take now. */
class Unfinished extends Error {}

/**
 * Checks a parsed value. Errors of the engine end as outcome `budget`.
 * @throws Unfinished if the check may not take the full budget now, and needs more than it may take
 */
function judge(schema: SchemaChecker, instance: Instance, limits: Limits, isValid = false): Check {
  try {
    const explanation = schema.engine.check(instance, limits, isValid);
    return explanation === undefined ? PASS : violation(schema, explanation, limits);
  } catch (thrown) {
    if (limits.steps !== undefined && thrown instanceof BudgetError) throw new Unfinished();
    const over = schema.engine.mayLoop ? loopOverBudget : overBudget;
    return over(messageOf(thrown));
  }
}

/**
 * Checks a JSON text: size, then nesting, before it is parsed; then the schema, with every number by its source text.
 * Never throws.
 * @param isPlain whether messages are sentences, and not the engine's own words
 */
export function checkText(
  schema: SchemaOrFault,
  input: string | Uint8Array,
  options: TextCheckOptions | undefined,
  isPlain: boolean,
): Check {
  return tryText(schema, input, options, isPlain);
}

/**
 * How many steps a check may take without waiting: about 5 ms of work, several times that before the engine is warm.
 */
const STEPS_NOW = 40_000;

/** Longest text to parse without waiting. Others take too long. */
const LENGTH_NOW = 262_144;

/** Like {@link checkText}; returns undefined if that takes more than a few milliseconds. */
export function checkTextNow(
  schema: SchemaOrFault,
  input: string | Uint8Array,
  options: TextCheckOptions | undefined,
  isPlain: boolean,
): Check | undefined {
  try {
    return tryText(schema, input, options, isPlain, STEPS_NOW);
  } catch (thrown) {
    if (thrown instanceof Unfinished) return undefined;
    throw thrown;
  }
}

function tryText(
  schema: SchemaOrFault,
  input: string | Uint8Array,
  options: TextCheckOptions | undefined,
  isPlain: boolean,
  steps?: number,
): Check {
  try {
    const limits = limitsOf(options, isPlain, steps);
    const isLong = steps !== undefined && input.length > LENGTH_NOW;
    const within = options?.within;
    const isBytes = typeof input !== "string";
    if (isBytes && within !== undefined && !isFault(schema) && isKnown(input, within, limits)) {
      const isValid = within.unique === true && schema.acceptor.accepts(input, within.accepted);
      if (isValid && !looksFurther(schema, limits)) return PASS;
      if (isLong) throw new Unfinished();
      return checkKnown(schema, input, limits, isValid);
    }
    if (isLong) throw new Unfinished();
    if (isBytes || isFault(schema)) return checkScanned(schema, input, limits);
    const value = parsePlain(input, limits.maxDepth, limits.maxBytes);
    if (value !== undefined) {
      const check = judge(schema, { value, decimals: NO_DECIMALS, bytes: input.length }, limits);
      // The text has at least as many bytes as characters, and the full budget grows with the bytes: so a check that
      // ran out of budget here is repeated.
      if (check.outcome !== "budget") return check;
    }
    return checkScanned(schema, input, limits);
  } catch (thrown) {
    if (thrown instanceof Unfinished) throw thrown;
    return overBudget(messageOf(thrown));
  }
}

/**
 * Returns whether a scan around the bytes has shown that they are JSON, within the limits and with doubles only.
 */
function isKnown(bytes: Uint8Array, within: JsonScan, limits: Limits): boolean {
  const { exact, depth } = within;
  return exact === true && depth <= limits.maxDepth && bytes.length <= limits.maxBytes;
}

function checkKnown(
  schema: SchemaChecker,
  bytes: Uint8Array,
  limits: Limits,
  isValid: boolean,
): Check {
  const value: unknown = JSON.parse(decodeUtf8(bytes));
  if (isValid && hasDeclaredOnly(schema, value, limits)) return PASS;
  return judge(schema, { value, decimals: NO_DECIMALS, bytes: bytes.length }, limits, isValid);
}

/** What a schema says about undeclared members of the whole value. Looked up once, because this decides most calls. */
interface Declared {
  /** Whether it declares no members, so that none is undeclared. */
  readonly isEmpty: boolean;
  /** Whether a valid object has no members but those that it always declares. */
  readonly isClosed: boolean;
  /** The names of members that it always declares. */
  readonly names: ReadonlySet<string>;
}

const DECLARED = new WeakMap<SchemaChecker, Declared>();

function declaredBy(schema: SchemaChecker): Declared {
  let declared = DECLARED.get(schema);
  if (declared === undefined) {
    const { openness, alwaysDeclared: names, isClosed } = schema.engine;
    declared = { isEmpty: openness === "empty", isClosed, names };
    DECLARED.set(schema, declared);
  }
  return declared;
}

/** Returns whether a valid value may still have issues. */
function looksFurther(schema: SchemaChecker, { undeclared }: Limits): boolean {
  if (undeclared === undefined) return false;
  const { isEmpty, isClosed } = declaredBy(schema);
  return !isEmpty && (!isClosed || undeclared.deep === true);
}

/** Returns whether an object has only members that the schema always declares, as most calls have. */
function hasDeclaredOnly(schema: SchemaChecker, value: unknown, { undeclared }: Limits): boolean {
  if (undeclared === undefined || undeclared.deep === true) return false;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { names } = declaredBy(schema);
  return Object.keys(value).every((name) => names.has(name));
}

/**
 * Returns whether bytes still represent the text that they were made from: a lone surrogate becomes U+FFFD in them.
 */
function hasSameText(bytes: Uint8Array, text: string): boolean {
  return bytes.length === text.length || text.isWellFormed();
}

/** The same value for a text that is JSON: lone surrogates can only be in its strings. */
function escapeSurrogates(text: string): string {
  return text.replace(LONE_SURROGATES, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}

function refuseInput(): Check {
  return refusedCheck("violation", "protocol", "Invalid JSON: the input is neither text nor bytes");
}

function notJson({ message }: ScanError): Check {
  return refusedCheck("violation", "protocol", `Invalid JSON: ${message}`);
}

/** Checks the result of the scanner: size, then nesting, before it is parsed. */
function checkScanned(schema: SchemaOrFault, input: string | Uint8Array, limits: Limits): Check {
  if (typeof input !== "string" && !(input instanceof Uint8Array)) {
    return refuseInput();
  }
  const { maxBytes, maxDepth } = limits;
  // A text has at least as many bytes as UTF-16 code units.
  if (input.length > maxBytes) {
    return payloadTooLarge(input.length, maxBytes, typeof input === "string" ? "at least " : "");
  }
  const bytes = typeof input === "string" ? encodeTransient(input) : input;
  if (bytes.length > maxBytes) return payloadTooLarge(bytes.length, maxBytes);
  const image = isFault(schema) ? undefined : schema.acceptor.image;
  const expected = image && { start: skipSpace(bytes, 0, bytes.length), image };
  const scan = scanJson(bytes, { numbers: true, maxDepth, exact: true, unique: true, expected });
  if (scan.error?.code === "depth") return payloadTooDeep(maxDepth);
  if (isFault(schema)) return uncompilableCheck(schema);
  if (scan.error !== undefined) {
    return notJson(scan.error);
  }
  if (typeof input === "string" && !hasSameText(bytes, input)) {
    // Encoding turned lone surrogates into U+FFFD, so different names and strings would be equal: they are escaped
    // instead. That makes the text longer, but the text as given is not too large.
    const same = encodeUtf8(escapeSurrogates(input));
    return checkScanned(schema, same, { ...limits, maxBytes: Number.POSITIVE_INFINITY });
  }
  const plain = scan.exact === true && scan.unique === true;
  const isValid = plain && schema.acceptor.accepts(bytes, scan.accepted);
  if (isValid && !looksFurther(schema, limits)) return PASS;
  const { lossyNumbers } = scan;
  const exact = lossyNumbers.length > 0;
  const warnings = exact ? numberWarnings(lossyNumbers, limits) : PASS.warnings;
  if (scan.lossyNumbersTruncated) {
    const what = `more than ${lossyNumbers.length} numbers that an IEEE 754 double cannot hold`;
    return { ...overBudget(what), warnings };
  }
  const decimals = exact ? decimalsOf(lossyNumbers) : NO_DECIMALS;
  const parsed: unknown = JSON.parse(typeof input === "string" ? input : decodeUtf8(bytes));
  const value = exact ? restoreNumberTypes(parsed, decimals) : parsed;
  const check = judge(schema, { value, decimals, bytes: bytes.length }, limits, isValid);
  return exact ? { ...check, warnings } : check;
}

/** Checks a value in memory, whose numbers are doubles. Never throws. */
export function checkValue(
  schema: SchemaOrFault,
  value: unknown,
  options: CheckOptions | undefined,
  isPlain: boolean,
): Check {
  try {
    const limits = limitsOf(options, isPlain);
    const size = measureValue(value, limits.maxDepth, limits.maxBytes);
    if (exceedsLimit(size)) {
      return size.limit === "depth"
        ? payloadTooDeep(limits.maxDepth)
        : payloadTooLarge(size.actual, limits.maxBytes, "at least ");
    }
    if (isFault(schema)) return uncompilableCheck(schema);
    return judge(schema, { value, decimals: NO_DECIMALS, bytes: size }, limits);
  } catch (thrown) {
    return overBudget(messageOf(thrown));
  }
}

/**
 * Checks a JSON text without a schema: only that it is JSON, at any depth and size. Nesting beyond the scanner's
 * limit is valid, too. Never throws.
 */
export function checkJsonSyntax(
  input: string | Uint8Array,
  options: TextCheckOptions | undefined,
  isPlain: boolean,
): Check {
  try {
    const bytes = typeof input === "string" ? encodeUtf8(input) : input;
    if (!(bytes instanceof Uint8Array)) return refuseInput();
    const { error, lossyNumbers } = scanJson(bytes, { numbers: true });
    if (error !== undefined && error.code !== "depth") return notJson(error);
    return lossyNumbers.length === 0
      ? PASS
      : { ...PASS, warnings: numberWarnings(lossyNumbers, limitsOf(options, isPlain)) };
  } catch (thrown) {
    return overBudget(messageOf(thrown));
  }
}

/**
 * Returns whether a value in memory of any size is valid. Never throws: a value that cannot be checked is not valid.
 */
export function isValidValue(schema: SchemaOrFault, value: unknown, budget?: Budget): boolean {
  try {
    return !isFault(schema) && schema.engine.isValid(value, budget);
  } catch {
    return false;
  }
}
