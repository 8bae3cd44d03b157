import {
  type Check,
  type CheckOptions,
  type CompiledSchema,
  isObject,
  isUnchecked,
} from "@touchstone/core";
import { CapabilityError } from "./errors.ts";
import { errorFindings, type Findings, findingsOf, type LevelNotRun } from "./verdict.ts";

/** Arguments as a value in memory, or as their original JSON text, in which numbers are exact. */
export type Arguments = { readonly value: unknown } | { readonly text: Uint8Array };

/** Limits of arguments that a schema is applied to: by default 5,242,880 bytes of JSON and 64 levels. */
export type ArgumentLimits = Pick<CheckOptions, "maxBytes" | "maxDepth">;

/**
 * Returns the limits of an option.
 * @throws CapabilityError `invalid_option` if they are invalid
 */
export function readLimits(limits: unknown): ArgumentLimits | undefined {
  if (limits === undefined) return undefined;
  const known = ["maxBytes", "maxDepth"];
  const isValid =
    isObject(limits) &&
    Object.entries(limits).every(
      ([name, value]) =>
        known.includes(name) &&
        (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)),
    );
  if (isValid) return limits;
  const message = `limits must be an object of positive integers: ${known.join(", ")}`;
  throw new CapabilityError("invalid_option", message);
}

const MAX_ISSUES = 100;
const OPEN_BRACE = 0x7b;

function isObjectText(text: Uint8Array): boolean {
  return text[0] === OPEN_BRACE;
}

/**
 * Returns the schema level. The arguments of a call are an object, whatever the schema says (MCP, Tools,
 * `CallToolRequest`). If the check runs out of its budget, the level counts as not run.
 * @param schema of the arguments; without one, every object is valid
 * @param args a text is one JSON value without white space around it
 */
export function judgeArguments(
  schema: CompiledSchema | undefined,
  args: Arguments,
  limits?: ArgumentLimits,
): Findings {
  const isText = "text" in args;
  if (!(isText ? isObjectText(args.text) : isObject(args.value))) {
    return errorFindings("the arguments must be an object", "type");
  }
  if (schema === undefined) return { issues: [], suggestions: [], levelsNotRun: [] };
  const options = { ...limits, maxIssues: MAX_ISSUES };
  const check: Check = isText
    ? schema.check(args.text, options)
    : schema.checkValue(args.value, options);
  const findings = findingsOf(check);
  const odd = findingsOf({ ...check, errors: [], warnings: schema.warnings, suggestions: [] });
  const levelsNotRun: readonly LevelNotRun[] = isUnchecked(check)
    ? [{ level: "syntax", reason: "failed" }]
    : [];
  return { ...findings, issues: [...findings.issues, ...odd.issues], levelsNotRun };
}
