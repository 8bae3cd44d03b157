import { boundIssues, cut } from "./issues/bound.ts";
import { issueOf, type PathStyle } from "./issues/issue.ts";
import { suggest } from "./issues/suggest.ts";
import { decimalsOf, NO_DECIMALS, placeStandIns } from "./json/exact.ts";
import { isExcess, measureValue } from "./json/measure.ts";
import type { LossyNumber } from "./json/range.ts";
import { scanJson } from "./json/scan.ts";
import { decodeUtf8, encodeUtf8 } from "./json/text.ts";
import type { Check, GuardTrip, Issue, Outcome, Rule } from "./result.ts";
import { messageOf, type SchemaFault } from "./schema/fault.ts";
import type { SchemaError } from "./schema/interpret/context.ts";
import type { Instance, SchemaJudge } from "./schema/judge.ts";

/** Limits on one check, and how its issues are written. A limit that is no positive integer is ignored. */
export interface CheckOptions {
  /** Largest JSON text in bytes of UTF-8. Default 5,242,880. */
  readonly maxBytes?: number;
  /** Deepest nesting: a scalar is 1, `{"a":1}` is 2. Default 64. */
  readonly maxDepth?: number;
  /** How many errors are listed. Default 1000. */
  readonly maxIssues?: number;
  /** What `path` names. Default `field`. */
  readonly paths?: PathStyle;
}

/** A schema that values are checked against, or why it cannot be used. */
export type Judge = SchemaJudge | SchemaFault;

function isFault(judge: Judge): judge is SchemaFault {
  return "code" in judge;
}

type Limits = Required<CheckOptions>;

function limit(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : fallback;
}

function limitsOf(options: CheckOptions | undefined): Limits {
  return {
    maxBytes: limit(options?.maxBytes, 5_242_880),
    maxDepth: limit(options?.maxDepth, 64),
    maxIssues: limit(options?.maxIssues, 1000),
    paths: options?.paths === "instance" ? "instance" : "field",
  };
}

const PASS = { valid: true, outcome: "pass", errors: [], suggestions: [], counts: {} } as const;

function refuse(outcome: Outcome, rule: Rule, message: string, keyword?: string): Check {
  const issue: Issue = {
    path: "",
    message: cut(message, 1024),
    rule,
    ...(keyword === undefined ? {} : { keyword }),
  };
  const counts = { [rule]: 1 };
  return { valid: false, outcome, errors: [issue], warnings: [], suggestions: [], counts };
}

function trip(guard: GuardTrip, message: string): Check {
  return { ...refuse("guard", "guard", message, guard.guard), guard };
}

function tooLarge(actual: number, maxBytes: number, least = ""): Check {
  const message = `payload is ${least}${actual} bytes, more than the limit of ${maxBytes}`;
  return trip({ guard: "maxBytes", limit: maxBytes, actual }, message);
}

function tooDeep(maxDepth: number): Check {
  const message = `payload nests deeper than the limit of ${maxDepth}`;
  return trip({ guard: "maxDepth", limit: maxDepth, actual: maxDepth + 1 }, message);
}

function overBudget(message: string): Check {
  return refuse("budget", "guard", `the check ended without a verdict: ${message}`, "budget");
}

function uncompilable(fault: SchemaFault): Check {
  return refuse("uncompilable", "schema", `Invalid schema: ${fault.message}`, "schema");
}

function numberWarnings(lossy: readonly LossyNumber[], maxIssues: number): readonly Issue[] {
  const issue = ({ path, source }: LossyNumber): Issue => ({
    path,
    message: `the number ${cut(source, 40)} cannot be held by an IEEE 754 double; programs that parse it change it`,
    rule: "number",
  });
  return boundIssues(lossy.length, (i) => issue(lossy[i] as LossyNumber), maxIssues).issues;
}

/** Judges a parsed value. Never throws: what the engine throws ends as outcome `budget`. */
function judge(schema: SchemaJudge, instance: Instance, { maxIssues, paths }: Limits): Check {
  try {
    const explanation = schema.judge(instance, maxIssues);
    if (explanation === undefined) return { ...PASS, warnings: [] };
    const { errors, total, counts } = explanation;
    // Without its errors a verdict could not be classed, and a policy might let it pass.
    if (errors.length === 0) return overBudget("the engines disagree about the value");
    const { issues } = boundIssues(
      errors.length,
      (i) => issueOf(errors[i] as SchemaError, paths),
      maxIssues,
    );
    const more = total - issues.length;
    return {
      valid: false,
      outcome: "violation",
      errors: issues,
      warnings: [],
      suggestions: suggest(errors.slice(0, issues.length), !schema.graph.lossy),
      ...(more > 0 ? { truncated: more } : {}),
      counts,
    };
  } catch (thrown) {
    return overBudget(messageOf(thrown));
  }
}

/**
 * Checks a JSON text: size, then nesting, on the bytes and before any parse; then the schema, with
 * every number by its source text. Never throws.
 */
export function checkText(
  schema: Judge,
  input: string | Uint8Array,
  options: CheckOptions | undefined,
): Check {
  const limits = limitsOf(options);
  try {
    return checkBytes(schema, input, limits);
  } catch (thrown) {
    return overBudget(messageOf(thrown));
  }
}

function checkBytes(schema: Judge, input: string | Uint8Array, limits: Limits): Check {
  if (typeof input !== "string" && !(input instanceof Uint8Array)) {
    return refuse("violation", "protocol", "Invalid JSON: the input is neither text nor bytes");
  }
  const { maxBytes, maxDepth, maxIssues } = limits;
  // A text has at least as many bytes as UTF-16 code units.
  if (input.length > maxBytes) {
    return tooLarge(input.length, maxBytes, typeof input === "string" ? "at least " : "");
  }
  const bytes = typeof input === "string" ? encodeUtf8(input) : input;
  if (bytes.length > maxBytes) return tooLarge(bytes.length, maxBytes);
  const scan = scanJson(bytes, { numbers: true, maxDepth });
  if (scan.error?.code === "depth") return tooDeep(maxDepth);
  if (isFault(schema)) return uncompilable(schema);
  if (scan.error !== undefined) {
    return refuse("violation", "protocol", `Invalid JSON: ${scan.error.message}`);
  }
  const { lossyNumbers } = scan;
  const warnings = numberWarnings(lossyNumbers, maxIssues);
  if (scan.lossyNumbersTruncated) {
    const what = `more than ${lossyNumbers.length} numbers that an IEEE 754 double cannot hold`;
    return { ...overBudget(what), warnings };
  }
  const decimals = lossyNumbers.length === 0 ? NO_DECIMALS : decimalsOf(lossyNumbers);
  // A lone surrogate in a string is U+FFFD in its bytes; the value is the one that was scanned.
  const text = typeof input === "string" && decimals.size === 0 ? input : decodeUtf8(bytes);
  const value = placeStandIns(JSON.parse(text), decimals);
  return { ...judge(schema, { value, decimals, bytes: bytes.length }, limits), warnings };
}

/** Checks a value in memory, whose numbers are doubles. Never throws. */
export function checkValue(
  schema: Judge,
  value: unknown,
  options: CheckOptions | undefined,
): Check {
  const limits = limitsOf(options);
  try {
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
