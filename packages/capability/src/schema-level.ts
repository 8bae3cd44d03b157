import {
  type Check,
  type CheckLater,
  type CheckOptions,
  type CompiledSchema,
  isObject,
  isUnchecked,
} from "@touchstone/core";
import { CapabilityError } from "./errors.ts";
import { errorFindings, type Findings, findingsOf, type LevelNotRun } from "./verdict.ts";

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

const NOTHING: Findings = { issues: [], suggestions: [], levelsNotRun: [] };
const NOT_RUN: readonly LevelNotRun[] = [{ level: "syntax", reason: "failed" }];

/** The arguments of a call are an object, whatever the schema says (MCP, Tools, `CallToolRequest`). */
function notObject(): Findings {
  return errorFindings("the arguments must be an object", "type");
}

/**
 * Returns the schema level of arguments in memory. If the check runs out of its budget, the level counts as not run.
 * @param schema of the arguments; without one, every object is valid
 */
export function judgeArguments(
  schema: CompiledSchema | undefined,
  value: unknown,
  limits?: ArgumentLimits,
): Findings {
  if (!isObject(value)) return notObject();
  if (schema === undefined) return NOTHING;
  return levelOf(schema.checkValue(value, optionsOf(limits)), schema);
}

/**
 * {@link judgeArguments} of the original JSON text of arguments, in which numbers are exact. A check of more than a
 * few milliseconds is made by `later`, without warnings about the schema itself: to find those, it must be compiled
 * here. Never rejects.
 * @param text one JSON value without white space around it
 */
export async function judgeText(
  schema: CompiledSchema | undefined,
  text: Uint8Array,
  limits: ArgumentLimits | undefined,
  later: CheckLater | undefined,
): Promise<Findings> {
  if (text[0] !== OPEN_BRACE) return notObject();
  if (schema === undefined) return NOTHING;
  if (later === undefined) return levelOf(schema.check(text, optionsOf(limits)), schema);
  const check = schema.checkLater(text, later, optionsOf(limits));
  if (!(check instanceof Promise)) return levelOf(check, schema);
  try {
    return levelOf(await check);
  } catch {
    const message = "cannot be checked now: too many checks are waiting; try again later";
    return { ...errorFindings(message, "budget"), levelsNotRun: NOT_RUN };
  }
}

function optionsOf(limits: ArgumentLimits | undefined): CheckOptions {
  return { ...limits, maxIssues: MAX_ISSUES };
}

/** @param schema with warnings that belong to the level */
function levelOf(check: Check, schema?: CompiledSchema): Findings {
  const findings = findingsOf(check);
  const warnings = schema?.warnings ?? [];
  const odd = findingsOf({ ...check, errors: [], warnings, suggestions: [] });
  const levelsNotRun = isUnchecked(check) ? NOT_RUN : [];
  return { ...findings, issues: [...findings.issues, ...odd.issues], levelsNotRun };
}
