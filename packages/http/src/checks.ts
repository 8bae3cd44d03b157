import {
  type CheckOptions,
  isObject,
  isPlaceKey,
  isSchemaRule,
  placeFault,
  SCHEMA_RULES,
  TREATMENTS,
} from "@touchstone/core/advanced";
import type { Tool } from "./tool.ts";

/** How arguments are checked in addition to their schema, as in the setting `input_validation` of a gateway. */
export type ArgumentChecks = Pick<CheckOptions, "maxBytes" | "maxDepth" | "rules" | "undeclared">;

/** The same for all tools, or a function that says it for each tool itself. */
export type ArgumentChecksSetting = ArgumentChecks | ((tool: Pick<Tool, "name">) => ArgumentChecks);

/** What a value of the option must be, in words. */
export const CHECKS: string = `an object with rules (by a class such as ${SCHEMA_RULES.slice(0, 3).join(", ")}, or a JSON Pointer; each violation, warning or ignore) and undeclared ({ treat: "warning" or "violation", deep? }), or a function that returns one`;

function isTreatment(value: unknown): boolean {
  return value === undefined || TREATMENTS.some((treatment) => treatment === value);
}

function isRule([key, value]: readonly [key: string, value: unknown]): boolean {
  const isKnown = isPlaceKey(key) ? placeFault(key) === undefined : isSchemaRule(key);
  return isKnown && isTreatment(value);
}

function isUndeclared(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { treat, deep } = value;
  return (
    (treat === "warning" || treat === "violation") &&
    (deep === undefined || typeof deep === "boolean")
  );
}

/** Returns whether a value has the form that {@link CHECKS} describes. */
export function isArgumentChecks(value: unknown): value is ArgumentChecks {
  if (!isObject(value)) return false;
  const { rules, undeclared } = value;
  const isRules = rules === undefined || (isObject(rules) && Object.entries(rules).every(isRule));
  return isRules && isUndeclared(undeclared);
}

const NONE: ArgumentChecks = {};

/**
 * Returns how the arguments of a tool are checked.
 * @throws what the host's function throws, and TypeError if it returns something else
 */
export function checksOf(
  setting: ArgumentChecksSetting | undefined,
  tool: Pick<Tool, "name">,
): ArgumentChecks {
  if (typeof setting !== "function") return setting ?? NONE;
  const checks: unknown = setting(tool);
  if (isArgumentChecks(checks)) return checks;
  throw new TypeError(`the function checks must return ${CHECKS}`);
}
