import { type Check, type RepairKind, runSteps } from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import { type RepairedCall, repairSteps } from "../features/repair/repair-arguments.ts";
import { checkOptions } from "../settings/validation.ts";
import type { ClientExchange } from "./exchange.ts";
import type { ToolCall } from "./in-flight.ts";
import { failedCheckMadeAhead } from "./judge.ts";

/** Repairs that were made before their frames are decided, and the checks that they belong to. */
const ahead = new WeakMap<
  Frame,
  { readonly check: Check; readonly repaired: RepairedCall | undefined }
>();

/**
 * Repairs the arguments of a call whose check was made ahead, in slices with other work in between. {@link repairCall}
 * then returns the result. Undefined if there is nothing to repair. Never rejects.
 */
export function repairAhead(exchange: ClientExchange): Promise<void> | undefined {
  const { state, frame, settings, lookup, came } = exchange;
  const check = failedCheckMadeAhead(frame);
  if (check === undefined || lookup.contract === undefined) return undefined;
  const steps = stepsFor(frame, { contract: lookup.contract, settings }, check, came.repair);
  return (
    steps &&
    state.context.slice.take(steps).then((repaired) => void ahead.set(frame, { check, repaired }))
  );
}

/**
 * Repairs the arguments of a call that failed their check: see {@link repairSteps}.
 * @param asked the kinds that its sender asked for
 */
export function repairCall(
  frame: Frame,
  call: Pick<ToolCall, "contract" | "settings">,
  check: Check,
  asked?: readonly RepairKind[],
): RepairedCall | undefined {
  const made = ahead.get(frame);
  if (made?.check === check) return made.repaired;
  const steps = stepsFor(frame, call, check, asked);
  return steps && runSteps(steps);
}

function stepsFor(
  frame: Frame,
  { contract, settings }: Pick<ToolCall, "contract" | "settings">,
  check: Check,
  asked: readonly RepairKind[] | undefined,
): ReturnType<typeof repairSteps> {
  const limits = checkOptions(settings.input);
  return repairSteps(frame, { contract, settings, limits }, check, asked);
}
