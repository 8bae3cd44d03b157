import {
  type Check,
  type CompiledSchema,
  heaviestTreatment,
  isSchemaLoop,
} from "@touchstone/core/advanced";
import { isQueueFull, type PolicyDecision } from "../features/decision.ts";
import { blocksUnusable, isExternal } from "../features/invalid-schemas/decide.ts";
import { decideUnknown } from "../features/unknown-schemas/decide.ts";
import type {
  Decision,
  Mode,
  ProtocolCheckSettings,
  RuleTreatment,
  SchemaCheckSettings,
} from "../settings/validation.ts";

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

function decideFailure(mode: Mode, treatment: RuleTreatment): Decision {
  if (treatment === "ignore") return "allowed";
  return mode === "strict" && treatment === "violation" ? "blocked" : "warning";
}

/** Returns whether the arguments are why a check failed, so that other arguments could have passed it. */
export function isAboutArguments(check: Pick<Check, "outcome" | "errors">): boolean {
  const { outcome } = check;
  if (outcome === "budget") return !isSchemaLoop(check);
  return outcome === "violation" || outcome === "guard";
}

/**
 * Decides about arguments or a structured result from the outcome of their check. Pure: equal checks and settings
 * give equal verdicts.
 * @param schema by which it was checked, if there is one
 */
export function decideSchemaCheck(
  check: DecidedCheck,
  settings: SchemaCheckSettings,
  schema?: Pick<CompiledSchema, "error">,
): PolicyDecision {
  const { mode } = settings;
  const { outcome } = check;
  const allowed: PolicyDecision = { decision: "allowed", outcome, mode, record: false };
  if (mode === "off") return { ...allowed, outcome: "skipped" };
  switch (outcome) {
    case "pass":
    case "skipped":
    case "missing":
      return allowed;
    case "uncompilable":
      return blocksUnusable(settings, isExternal(schema))
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

function decideCounts(check: DecidedCheck, { mode, rules }: SchemaCheckSettings): PolicyDecision {
  const { outcome } = check;
  const decision = decideFailure(mode, heaviestTreatment(check, rules));
  return { decision, outcome, mode, record: decision !== "allowed" };
}

/**
 * Decides about a message by the number of its protocol faults.
 * @param isOpen whether its revision does not define the method
 */
export function decideProtocol(
  faults: number,
  settings: ProtocolCheckSettings,
  isOpen: boolean = false,
): PolicyDecision {
  const { mode } = settings;
  const isSkipped = mode === "off" || (faults === 0 && isOpen);
  if (isSkipped) return { decision: "allowed", outcome: "skipped", mode, record: false };
  if (faults === 0) return { decision: "allowed", outcome: "pass", mode, record: false };
  const decision = mode === "strict" ? "blocked" : "warning";
  return { decision, outcome: "violation", mode, record: true };
}
