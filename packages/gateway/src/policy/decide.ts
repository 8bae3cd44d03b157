import {
  type Check,
  type CompiledSchema,
  heaviestTreatment,
  isOfLoop,
  type Outcome,
} from "@touchstone/core";
import type {
  Decision,
  Direction,
  Mode,
  OutputCheckSettings,
  ProtocolCheckSettings,
  RuleTreatment,
  SchemaCheckSettings,
} from "./settings.ts";

/** The policy's decision about one check. */
export interface Verdict {
  readonly decision: Decision;
  readonly outcome: Outcome;
  readonly mode: Mode;
  /** Whether to write a `policy_decision` record. */
  readonly record: boolean;
}

const WEIGHT: Readonly<Record<Decision, number>> = {
  allowed: 0,
  warning: 1,
  repaired: 2,
  blocked: 3,
};

/** Returns whether a decision is heavier than another one: `blocked` is the heaviest, `allowed` the lightest. */
export function isHeavier(decision: Decision, other: Decision): boolean {
  return WEIGHT[decision] > WEIGHT[other];
}

/** The parts of a check that a decision depends on. */
type DecidedCheck = Pick<Check, "outcome" | "counts" | "treated">;

/** Returns whether a check was not made because too many others waited. The client can try again. */
export function isQueueFull({ outcome, counts }: Pick<Check, "outcome" | "counts">): boolean {
  return outcome === "unknown" && counts.budget !== undefined;
}

function decideFailure(mode: Mode, treatment: RuleTreatment): Decision {
  if (treatment === "ignore") return "allowed";
  return mode === "strict" && treatment === "violation" ? "blocked" : "warning";
}

/** Returns whether the arguments are why a check failed, so that other arguments could have passed it. */
export function isOfArguments(check: Pick<Check, "outcome" | "errors">): boolean {
  const { outcome } = check;
  if (outcome === "budget") return !isOfLoop(check);
  return outcome === "violation" || outcome === "guard";
}

/**
 * Decides about arguments or a structured result from the outcome of their check. Pure: equal checks and settings
 * give equal verdicts.
 * @param isExternal whether the schema cannot be used because it refers to another document
 */
export function decideSchemaCheck(
  check: DecidedCheck,
  settings: SchemaCheckSettings,
  isExternal: boolean = false,
): Verdict {
  const { mode } = settings;
  const { outcome } = check;
  const allowed: Verdict = { decision: "allowed", outcome, mode, record: false };
  if (mode === "off") return { ...allowed, outcome: "skipped" };
  switch (outcome) {
    case "pass":
    case "skipped":
    case "missing":
      return allowed;
    case "uncompilable":
      return blocksUnusable(settings, isExternal)
        ? { decision: "blocked", outcome, mode, record: true }
        : allowed;
    case "unknown":
      return isQueueFull(check) ? decideCounts(check, settings) : decideUnknown(settings);
    case "violation":
    case "guard":
    case "budget":
      return decideCounts(check, settings);
  }
}

/** Returns whether a schema cannot be used because it refers to another document. */
export function isExternal(schema: Pick<CompiledSchema, "fault"> | undefined): boolean {
  return schema?.fault?.isExternal === true;
}

/** The word after the outcome, in records of calls, if the schema refers to another document. */
export const EXTERNAL = "external_reference";

/**
 * Returns whether payloads that cannot be checked are blocked, because their tool's schema cannot be used.
 * @param isExternal see {@link isExternal}
 */
export function blocksUnusable(
  { mode, onInvalidSchema }: Pick<SchemaCheckSettings, "mode" | "onInvalidSchema">,
  isExternal: boolean,
): boolean {
  if (mode !== "strict" || onInvalidSchema === "allow") return false;
  return onInvalidSchema === "block" || isExternal;
}

function decideCounts(check: DecidedCheck, { mode, rules }: SchemaCheckSettings): Verdict {
  const { outcome } = check;
  const decision = decideFailure(mode, heaviestTreatment(check, rules));
  return { decision, outcome, mode, record: decision !== "allowed" };
}

/** Decides about a result without structured content from a tool that declares an output schema. */
export function decideMissing(settings: OutputCheckSettings): Verdict {
  const { mode } = settings;
  if (mode === "off") return { decision: "allowed", outcome: "skipped", mode, record: false };
  const blocked = mode === "strict" && settings.missingStructuredContent === "block";
  return {
    decision: blocked ? "blocked" : "allowed",
    outcome: "missing",
    mode,
    record: blocked,
  };
}

/** Decides about a payload of a tool with unknown schemas, in one direction. */
export function decideUnknown({ mode, onUnknownSchema }: SchemaCheckSettings): Verdict {
  if (mode === "off") return { decision: "allowed", outcome: "skipped", mode, record: false };
  const blocks = mode === "strict" && onUnknownSchema === "block";
  return { decision: blocks ? "blocked" : "warning", outcome: "unknown", mode, record: true };
}

/**
 * Decides about a call of a tool with unknown schemas, before it is sent. One direction that blocks is enough,
 * because the result could not be checked either. Also returns the direction that decided.
 */
export function decideUnknownCall({
  input,
  output,
}: Readonly<Record<"input" | "output", SchemaCheckSettings>>): Verdict & {
  readonly direction: Direction;
} {
  const onInput = { ...decideUnknown(input), direction: "input" as const };
  const onOutput = { ...decideUnknown(output), direction: "output" as const };
  if (onInput.decision === "blocked") return onInput;
  return onOutput.decision === "blocked" || input.mode === "off" ? onOutput : onInput;
}

/**
 * Decides about a message by the number of its protocol faults.
 * @param isOpen whether its revision does not define the method
 */
export function decideProtocol(
  faults: number,
  settings: ProtocolCheckSettings,
  isOpen: boolean = false,
): Verdict {
  const { mode } = settings;
  const isSkipped = mode === "off" || (faults === 0 && isOpen);
  if (isSkipped) return { decision: "allowed", outcome: "skipped", mode, record: false };
  if (faults === 0) return { decision: "allowed", outcome: "pass", mode, record: false };
  const decision = mode === "strict" ? "blocked" : "warning";
  return { decision, outcome: "violation", mode, record: true };
}
