import type { SchemaError } from "./document/fault.ts";
import { cutText } from "./json/quote.ts";
import {
  type Check,
  type GuardTrip,
  type Issue,
  LOOP_PARAMS,
  type Outcome,
  type Rule,
} from "./result.ts";

/** Returns a check that ended before the schema was applied, with a single issue that says why. */
export function refusedCheck(
  outcome: Outcome,
  rule: Rule,
  message: string,
  keyword?: string,
): Check {
  const issue: Issue = {
    path: "",
    message: cutText(message, 1024),
    rule,
    ...(keyword === undefined ? {} : { keyword }),
  };
  const counts = { [rule]: 1 };
  return { valid: false, outcome, errors: [issue], warnings: [], suggestions: [], counts };
}

function trip(guard: GuardTrip, message: string): Check {
  return { ...refusedCheck("guard", "guard", message, guard.guard), guard };
}

/** @param least `"at least "` where `actual` is a lower bound */
export function payloadTooLarge(actual: number, maxBytes: number, least = ""): Check {
  const message = `payload is ${least}${actual} bytes, more than the limit of ${maxBytes}`;
  return trip({ guard: "maxBytes", limit: maxBytes, actual }, message);
}

export function payloadTooDeep(maxDepth: number): Check {
  const message = `payload nests deeper than the limit of ${maxDepth}`;
  return trip({ guard: "maxDepth", limit: maxDepth, actual: maxDepth + 1 }, message);
}

export function overBudget(message: string): Check {
  return refusedCheck("budget", "budget", `the check ended without a result: ${message}`, "budget");
}

/** {@link overBudget} for a schema that may apply itself to the same value: other values may not help. */
export function loopOverBudget(message: string): Check {
  const check = overBudget(`${message}; the schema refers to itself for the same value`);
  return { ...check, errors: check.errors.map((issue) => ({ ...issue, params: LOOP_PARAMS })) };
}

export function uncompilableCheck(fault: SchemaError): Check {
  return refusedCheck("uncompilable", "schema", `Invalid schema: ${fault.message}`, "schema");
}
