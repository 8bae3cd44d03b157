import {
  type Check,
  type CheckOptions,
  type CompiledSchema,
  isObject,
  isUnchecked,
} from "@touchstone/core/advanced";
import { CapabilityError } from "./errors.ts";
import {
  errorFindings,
  type Findings,
  findingsOfCheck,
  type LevelNotRun,
} from "./validation-result.ts";

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

const NOTHING: Findings = { issues: [], suggestions: [], levelsNotRun: [] };
/** The level of a check that reached no decision. */
export const SYNTAX_NOT_RUN: readonly LevelNotRun[] = [{ level: "syntax", reason: "failed" }];

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
  return levelOf(schema.validate(value, optionsOf(limits)), schema);
}

function optionsOf(limits: ArgumentLimits | undefined): CheckOptions {
  return { ...limits, maxIssues: MAX_ISSUES };
}

function levelOf(check: Check, { warnings }: CompiledSchema): Findings {
  const findings = findingsOfCheck(check);
  const odd = findingsOfCheck({ ...check, errors: [], warnings, suggestions: [] });
  const levelsNotRun = isUnchecked(check) ? SYNTAX_NOT_RUN : [];
  return { ...findings, issues: [...findings.issues, ...odd.issues], levelsNotRun };
}
