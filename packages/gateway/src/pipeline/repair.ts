import {
  type Check,
  decodeUtf8,
  encodeUtf8,
  type RepairedText,
  type RepairKind,
  repairsNamed,
  repairTextSteps,
  SAFE_REPAIRS,
  takeSteps,
} from "@touchstone/core";
import { type Frame, spliceFrame } from "@touchstone/protocol";
import type { ToolContract } from "../contracts/contract.ts";
import { listsNulls } from "../features/adapt/adapt.ts";
import { checkOptions, type InputCheckSettings } from "../policy/settings.ts";
import { repairsText } from "../records/repairs.ts";
import type { ClientExchange } from "./exchange.ts";
import type { ToolCall } from "./in-flight.ts";
import { failedAhead } from "./judge.ts";

/** A call whose arguments were repaired. */
export interface RepairedCall {
  /** The frame: the same bytes, except for the edited ranges of the arguments. */
  readonly bytes: Uint8Array;
  /** Kinds and places, such as `coerce-scalars at /n; drop-nulls at /text`. */
  readonly repairs: string;
  /** JSON Patch (RFC 6902) from the arguments that came to those that are sent. */
  readonly patch: Uint8Array;
  /** The repair of the arguments alone. */
  readonly made: RepairedText;
}

const OPEN_OBJECT = 0x7b;

/** Repairs that were made before their frames are decided, and the checks that they are for. */
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
  const check = failedAhead(frame);
  if (check === undefined || lookup.contract === undefined) return undefined;
  const steps = repairSteps(frame, { contract: lookup.contract, settings }, check, came.repair);
  return (
    steps &&
    state.context.slice.take(steps).then((repaired) => void ahead.set(frame, { check, repaired }))
  );
}

/**
 * Repairs the arguments of a call that failed their check, by the kinds of repair that its settings allow. Returns
 * undefined if that does not make them valid as a whole.
 * @param asked the kinds that its sender asked for
 */
export function repairCall(
  frame: Frame,
  call: RepairableCall,
  check: Check,
  asked?: readonly RepairKind[],
): RepairedCall | undefined {
  const made = ahead.get(frame);
  if (made?.check === check) return made.repaired;
  const steps = repairSteps(frame, call, check, asked);
  return steps && takeSteps(steps);
}

type RepairableCall = Pick<ToolCall, "contract" | "settings">;

/** Returns the steps of a repair; undefined if there is nothing to repair, or no repair is allowed. */
function repairSteps(
  frame: Frame,
  { contract, settings }: RepairableCall,
  check: Check,
  asked: readonly RepairKind[] | undefined,
): Generator<void, RepairedCall | undefined, void> | undefined {
  if (check.outcome !== "violation" || contract === undefined) return undefined;
  const kinds = repairsFor(settings.input, contract.isDestructive, asked);
  if (kinds.length === 0) return undefined;
  // Nulls that its client was told to send go together with what else is wrong.
  const isListed = listsNulls(settings.adapt) && !kinds.includes("drop-nulls");
  const repair = isListed ? (["drop-nulls", ...kinds] as const) : kinds;
  return argumentSteps(frame, contract, check, repair, settings.input);
}

/** Repairs the arguments of a call by some kinds of repair; undefined if that does not make them valid as a whole. */
export function repairArguments(
  ...given: Parameters<typeof argumentSteps>
): RepairedCall | undefined {
  return takeSteps(argumentSteps(...given));
}

function* argumentSteps(
  frame: Frame,
  { input: schema, declared }: Pick<ToolContract, "input" | "declared">,
  check: Check,
  repair: readonly RepairKind[],
  settings: InputCheckSettings,
): Generator<void, RepairedCall | undefined, void> {
  const range = frame.range("/params/arguments");
  if (schema === undefined || range === undefined) return undefined;
  const bytes = frame.bytes.subarray(range.start, range.end);
  const limits = checkOptions(settings);
  const repaired = yield* repairTextSteps({ schema, declared, bytes, check, repair, limits });
  if (repaired === undefined || repaired.bytes[0] !== OPEN_OBJECT) return undefined;
  return {
    bytes: spliceFrame(frame.bytes, [{ range, text: decodeUtf8(repaired.bytes) }]),
    repairs: repairsText(repaired.repairs),
    patch: encodeUtf8(repaired.patch),
    made: repaired,
  };
}

/**
 * Returns the kinds of repair that settings allow for a tool, and those that the sender of the call asks for. Guesses at
 * what was meant are left out for one that is destructive, unless they were set for the tool itself.
 * @param isDestructive undefined if its annotations are not known, as of a tool that an earlier process learned
 */
export function repairsFor(
  { repair, repairOfTool }: Pick<InputCheckSettings, "repair" | "repairOfTool">,
  isDestructive: boolean | undefined,
  asked: readonly RepairKind[] = [],
): readonly RepairKind[] {
  const set = repairsNamed(repair);
  const mayGuess = (kind: RepairKind): boolean =>
    isDestructive === false || (repairOfTool === true && set.includes(kind));
  const kinds = asked.length === 0 ? set : repairsNamed([...set, ...asked]);
  return kinds.filter((kind) => SAFE_REPAIRS.includes(kind) || mayGuess(kind));
}
