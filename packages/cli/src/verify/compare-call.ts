import { type Check, describeCheck, isUnchecked } from "@touchstone/core/advanced";
import { type ExactValues, valueDifferences } from "./exact-values.ts";
import type { Outcome } from "./outcome.ts";

/** One way in which a call does not end as it did. */
export interface Difference {
  readonly rule: "outcome" | "error-kind" | "output-schema" | "value";
  /** A pointer into the result. */
  readonly path: string;
  readonly message: string;
  /** What came, to compare with what comes in another run. */
  readonly now: string;
}

/** What is known of one ending of a call. */
export interface Ending {
  readonly outcome: Outcome;
  /** The check of the result by the output schema; undefined if there is nothing to check. */
  readonly check: Check | undefined;
  readonly values: ExactValues;
}

const MAX_SHOWN = 200;
/** How many issues of one result are reported. */
const MAX_ISSUES = 10;

/** Returns how a call ends now, unlike every time that it was recorded. */
export function compareCall(recorded: readonly Ending[], now: Ending): readonly Difference[] {
  const outcome = outcomeDifference(
    recorded.map((ending) => ending.outcome),
    now.outcome,
  );
  if (outcome !== undefined) return [outcome];
  const same = recorded.filter((ending) => ending.outcome.kind === now.outcome.kind);
  const values = valueDifferences(
    same.map((ending) => ending.values),
    now.values,
  ).map(({ path, was, now: is }): Difference => {
    const message = `${shown(is)} instead of ${shown(was)}`;
    return { rule: "value", path, message, now: is ?? "" };
  });
  const wasValid = same.some(({ check }) => check === undefined || check.valid);
  return wasValid ? [...schemaDifferences(now.check), ...values] : values;
}

function outcomeDifference(recorded: readonly Outcome[], now: Outcome): Difference | undefined {
  const [first] = recorded;
  if (first === undefined) return undefined;
  if (recorded.some((one) => one.kind === now.kind && one.code === now.code)) return undefined;
  const wasRefused = first.kind !== "result";
  const isRefused = now.kind === "tool error" || now.kind === "JSON-RPC error";
  const rule = wasRefused && isRefused ? "error-kind" : "outcome";
  const said = now.message === undefined ? "" : `: ${shown(now.message)}`;
  const message = `there was a ${kindText(first)}, and now there is ${now.kind === "no response" ? "" : "a "}${kindText(now)}${said}`;
  return { rule, path: "", message, now: kindText(now) };
}

function kindText({ kind, code }: Outcome): string {
  return code === undefined ? kind : `${kind} ${code}`;
}

function schemaDifferences(check: Check | undefined): readonly Difference[] {
  if (check === undefined || check.valid || isUnchecked(check)) return [];
  return describeCheck(check, "the result", MAX_ISSUES).map(({ path, text }): Difference => {
    const message = `the result does not match its output schema: ${text}`;
    return { rule: "output-schema", path: `/structuredContent${path}`, message, now: text };
  });
}

function shown(value: string | undefined): string {
  if (value === undefined) return "nothing";
  return value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
}
