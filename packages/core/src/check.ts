import {
  type CheckOptions,
  type Limits,
  limitsOf,
  type TextCheckOptions,
} from "./check-options.ts";
import { messageOf, type SchemaFault } from "./document/fault.ts";
import type { Explanation, SchemaError } from "./engine/context.ts";
import type { Instance } from "./engine/engine.ts";
import { decimalsOf, NO_DECIMALS, placeStandIns } from "./json/exact.ts";
import { isExcess, measureValue } from "./json/measure.ts";
import { parsePlain } from "./json/parse.ts";
import { cut } from "./json/quote.ts";
import type { JsonScan, LossyNumber, ScanError } from "./json/range.ts";
import { scanJson } from "./json/scan.ts";
import { decodeUtf8, encodeForNow, encodeUtf8 } from "./json/text.ts";
import { skipSpace } from "./json/walk.ts";
import { type Budget, BudgetError } from "./keywords/run.ts";
import type { Checker } from "./read.ts";
import { overBudget, overBudgetOfLoop, refuse, tooDeep, tooLarge, uncompilable } from "./refuse.ts";
import { boundIssues } from "./report/issues/bound.ts";
import { issueOf } from "./report/issues/issue.ts";
import { suggest } from "./report/issues/suggest.ts";
import { type Check, type Issue, PASS } from "./result.ts";

/** A schema to check values against, or why it cannot be used. */
export type Judge = Checker | SchemaFault;

function isFault(judge: Judge): judge is SchemaFault {
  return "code" in judge;
}

/** With the flag "u", half of a surrogate pair is not a character. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

function numberWarnings(
  lossy: readonly LossyNumber[],
  { maxIssues, maxText }: Limits,
): readonly Issue[] {
  const issue = ({ path, source }: LossyNumber): Issue => ({
    path,
    message: `the number ${cut(source, 40)} cannot be held by an IEEE 754 double; programs that parse it change it`,
    rule: "number",
  });
  const { length } = lossy;
  return boundIssues(length, (i) => issue(lossy[i] as LossyNumber), maxIssues, maxText).issues;
}

function violation(
  { engine: { graph } }: Checker,
  { errors, total, counts, treated }: Explanation,
  { maxIssues, maxText, paths }: Limits,
): Check {
  // Without its errors a verdict has no class, and a policy might let it pass.
  if (errors.length === 0) return overBudget("the value has no issues and is not valid");
  const { issues } = boundIssues(
    errors.length,
    (i) => issueOf(errors[i] as SchemaError, paths),
    maxIssues,
    maxText,
  );
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
function judge(schema: Checker, instance: Instance, limits: Limits, isValid = false): Check {
  try {
    const explanation = schema.engine.check(instance, limits, isValid);
    return explanation === undefined ? PASS : violation(schema, explanation, limits);
  } catch (thrown) {
    if (limits.steps !== undefined && thrown instanceof BudgetError) throw new Unfinished();
    const over = schema.engine.mayLoop ? overBudgetOfLoop : overBudget;
    return over(messageOf(thrown));
  }
}

/**
 * Checks a JSON text: size, then nesting, before it is parsed; then the schema, with every number by its source text.
 * Never throws.
 */
export function checkText(
  schema: Judge,
  input: string | Uint8Array,
  options: TextCheckOptions | undefined,
): Check {
  return tryText(schema, input, options);
}

/**
 * How many steps a check may take without waiting: about 5 ms of work, several times that before the engine is warm.
 */
const STEPS_NOW = 40_000;

/** Longest text to parse without waiting. Others take too long. */
const LENGTH_NOW = 262_144;

/** Like {@link checkText}; returns undefined if that takes more than a few milliseconds. */
export function checkTextNow(
  schema: Judge,
  input: string | Uint8Array,
  options: TextCheckOptions | undefined,
): Check | undefined {
  try {
    return tryText(schema, input, options, STEPS_NOW);
  } catch (thrown) {
    if (thrown instanceof Unfinished) return undefined;
    throw thrown;
  }
}

function tryText(
  schema: Judge,
  input: string | Uint8Array,
  options: TextCheckOptions | undefined,
  steps?: number,
): Check {
  try {
    const limits = limitsOf(options, steps);
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
      // There are at least as many bytes, and the full budget grows with them.
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

function checkKnown(schema: Checker, bytes: Uint8Array, limits: Limits, isValid: boolean): Check {
  const value: unknown = JSON.parse(decodeUtf8(bytes));
  if (isValid && hasDeclaredOnly(schema, value, limits)) return PASS;
  return judge(schema, { value, decimals: NO_DECIMALS, bytes: bytes.length }, limits, isValid);
}

/** What a schema says about undeclared members of the whole value, looked up once: most calls end here. */
interface Declared {
  /** Whether it declares no members, so that none is undeclared. */
  readonly isEmpty: boolean;
  /** The names of members that it always declares. */
  readonly names: ReadonlySet<string>;
}

const DECLARED = new WeakMap<Checker, Declared>();

function declaredBy(schema: Checker): Declared {
  let declared = DECLARED.get(schema);
  if (declared === undefined) {
    const { openness, alwaysDeclared: names } = schema.engine;
    declared = { isEmpty: openness === "empty", names };
    DECLARED.set(schema, declared);
  }
  return declared;
}

/** Returns whether a valid value may still have issues. */
function looksFurther(schema: Checker, { undeclared }: Limits): boolean {
  return undeclared !== undefined && !declaredBy(schema).isEmpty;
}

/** Returns whether an object has only members that the schema always declares, as most calls have. */
function hasDeclaredOnly(schema: Checker, value: unknown, { undeclared }: Limits): boolean {
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
  return refuse("violation", "protocol", "Invalid JSON: the input is neither text nor bytes");
}

function notJson({ message }: ScanError): Check {
  return refuse("violation", "protocol", `Invalid JSON: ${message}`);
}

/** Checks the result of the scanner: size, then nesting, before it is parsed. */
function checkScanned(schema: Judge, input: string | Uint8Array, limits: Limits): Check {
  if (typeof input !== "string" && !(input instanceof Uint8Array)) {
    return refuseInput();
  }
  const { maxBytes, maxDepth } = limits;
  // A text has at least as many bytes as UTF-16 code units.
  if (input.length > maxBytes) {
    return tooLarge(input.length, maxBytes, typeof input === "string" ? "at least " : "");
  }
  const bytes = typeof input === "string" ? encodeForNow(input) : input;
  if (bytes.length > maxBytes) return tooLarge(bytes.length, maxBytes);
  const image = isFault(schema) ? undefined : schema.acceptor.image;
  const expected = image && { start: skipSpace(bytes, 0, bytes.length), image };
  const scan = scanJson(bytes, { numbers: true, maxDepth, exact: true, unique: true, expected });
  if (scan.error?.code === "depth") return tooDeep(maxDepth);
  if (isFault(schema)) return uncompilable(schema);
  if (scan.error !== undefined) {
    return notJson(scan.error);
  }
  if (typeof input === "string" && !hasSameText(bytes, input)) {
    // Names and strings that differ would be equal. The text itself is not too large.
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
  const value = exact ? placeStandIns(parsed, decimals) : parsed;
  const check = judge(schema, { value, decimals, bytes: bytes.length }, limits, isValid);
  return exact ? { ...check, warnings } : check;
}

/** Checks a value in memory, whose numbers are doubles. Never throws. */
export function checkValue(
  schema: Judge,
  value: unknown,
  options: CheckOptions | undefined,
): Check {
  try {
    const limits = limitsOf(options);
    const size = measureValue(value, limits.maxDepth, limits.maxBytes);
    if (isExcess(size)) {
      return size.limit === "depth"
        ? tooDeep(limits.maxDepth)
        : tooLarge(size.actual, limits.maxBytes, "at least ");
    }
    if (isFault(schema)) return uncompilable(schema);
    return judge(schema, { value, decimals: NO_DECIMALS, bytes: size }, limits);
  } catch (thrown) {
    return overBudget(messageOf(thrown));
  }
}

/**
 * Checks a JSON text without a schema: only that it is JSON, at any depth and size. Nesting beyond the scanner's
 * limit is valid, too. Never throws.
 */
export function checkUnjudged(
  input: string | Uint8Array,
  options: TextCheckOptions | undefined,
): Check {
  try {
    const bytes = typeof input === "string" ? encodeUtf8(input) : input;
    if (!(bytes instanceof Uint8Array)) return refuseInput();
    const { error, lossyNumbers } = scanJson(bytes, { numbers: true });
    if (error !== undefined && error.code !== "depth") return notJson(error);
    return lossyNumbers.length === 0
      ? PASS
      : { ...PASS, warnings: numberWarnings(lossyNumbers, limitsOf(options)) };
  } catch (thrown) {
    return overBudget(messageOf(thrown));
  }
}

/**
 * Returns whether a value in memory of any size is valid. Never throws: a value that cannot be checked is not valid.
 */
export function isValidValue(schema: Judge, value: unknown, budget?: Budget): boolean {
  try {
    return !isFault(schema) && schema.engine.isValid(value, budget);
  } catch {
    return false;
  }
}
