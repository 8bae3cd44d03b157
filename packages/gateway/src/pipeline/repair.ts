import {
  type Check,
  decodeUtf8,
  encodeUtf8,
  type RepairKind,
  repairsNamed,
  repairText,
  SAFE_REPAIRS,
} from "@touchstone/core";
import { type Frame, spliceFrame } from "@touchstone/protocol";
import type { ToolContract } from "../contracts/contract.ts";
import { checkOptions, type InputCheckSettings, listsNulls } from "../policy/settings.ts";
import { repairsText } from "../records/repairs.ts";
import type { ToolCall } from "./in-flight.ts";

/** A call whose arguments were repaired. */
export interface RepairedCall {
  /** The frame: the same bytes, except for the edited ranges of the arguments. */
  readonly bytes: Uint8Array;
  /** Kinds and places, such as `coerce-scalars at /n; drop-nulls at /text`. */
  readonly repairs: string;
  /** JSON Patch (RFC 6902) from the arguments that came to those that are sent. */
  readonly patch: Uint8Array;
}

const OPEN_OBJECT = 0x7b;

/**
 * Repairs the arguments of a call that failed their check, by the kinds of repair that its settings allow. Returns
 * undefined if that does not make them valid as a whole.
 * @param asked the kinds that its sender asked for
 */
export function repairCall(
  frame: Frame,
  call: ToolCall,
  check: Check,
  asked?: readonly RepairKind[],
): RepairedCall | undefined {
  const { contract, settings } = call;
  if (check.outcome !== "violation" || contract === undefined) return undefined;
  const kinds = repairsFor(settings.input, contract.isDestructive, asked);
  if (kinds.length === 0) return undefined;
  // Nulls that its client was told to send go together with what else is wrong.
  const isListed = listsNulls(settings.adapt) && !kinds.includes("drop-nulls");
  const repair = isListed ? (["drop-nulls", ...kinds] as const) : kinds;
  return repairArguments(frame, contract, check, repair, settings.input);
}

/** Repairs the arguments of a call by some kinds of repair; undefined if that does not make them valid as a whole. */
export function repairArguments(
  frame: Frame,
  { input: schema, declared }: Pick<ToolContract, "input" | "declared">,
  check: Check,
  repair: readonly RepairKind[],
  settings: InputCheckSettings,
): RepairedCall | undefined {
  const range = frame.range("/params/arguments");
  if (schema === undefined || range === undefined) return undefined;
  const bytes = frame.bytes.subarray(range.start, range.end);
  const limits = checkOptions(settings);
  const repaired = repairText({ schema, declared, bytes, check, repair, limits });
  if (repaired === undefined || repaired.bytes[0] !== OPEN_OBJECT) return undefined;
  return {
    bytes: spliceFrame(frame.bytes, [{ range, text: decodeUtf8(repaired.bytes) }]),
    repairs: repairsText(repaired.repairs),
    patch: encodeUtf8(repaired.patch),
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
