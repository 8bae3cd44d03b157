import {
  type Check,
  type CheckOptions,
  decodeUtf8,
  encodeUtf8,
  type RepairedText,
  type RepairKind,
  repairsNamed,
  repairTextSteps,
  runSteps,
  SAFE_REPAIRS,
} from "@touchstone/core/advanced";
import { type Frame, spliceFrame } from "@touchstone/protocol/advanced";
import { repairsText } from "@touchstone/records/plain";
import type { ToolContract } from "../../contracts/contract.ts";
import { type AdaptSettings, requiresNullable } from "../adapt/adapt.ts";

/** A call whose arguments were repaired. */
export interface RepairedCall {
  /** The frame: the same bytes, except for the edited ranges of the arguments. */
  readonly bytes: Uint8Array;
  /** Kinds and places, such as `coerce-scalars at /n; drop-nulls at /text`. */
  readonly repairs: string;
  /** JSON Patch (RFC 6902) from the received arguments to those that are sent. */
  readonly patch: Uint8Array;
  /** The repair of the arguments alone. */
  readonly made: RepairedText;
}

const OPEN_OBJECT = 0x7b;

/** What a repair depends on besides the arguments. */
export interface RepairableCall {
  readonly contract: ToolContract | undefined;
  readonly settings: {
    readonly input: RepairSettings;
    readonly adapt?: AdaptSettings | undefined;
  };
  /** The options of the check that the repaired arguments must pass. */
  readonly limits: CheckOptions;
}

/** Which repairs are allowed. */
export interface RepairSettings {
  readonly repair: Parameters<typeof repairsNamed>[0];
  /** Whether `repair` was set for the tool itself. */
  readonly repairOfTool?: boolean;
}

/**
 * Returns the steps of a repair of arguments that failed their check, by the kinds of repair that settings allow; undefined
 * if there is nothing to repair, or no repair is allowed. The steps return undefined if the repairs do not make the
 * arguments valid as a whole.
 * @param asked the kinds that the sender of the call asked for
 */
export function repairSteps(
  frame: Frame,
  { contract, settings, limits }: RepairableCall,
  check: Check,
  asked: readonly RepairKind[] | undefined,
): Generator<void, RepairedCall | undefined, void> | undefined {
  if (check.outcome !== "violation" || contract === undefined) return undefined;
  const kinds = repairsFor(settings.input, contract.isDestructive, asked);
  if (kinds.length === 0) return undefined;
  // Nulls that the listed schema required from clients are removed together with other invalid parts.
  const isListed = requiresNullable(settings.adapt) && !kinds.includes("drop-nulls");
  const repair = isListed ? (["drop-nulls", ...kinds] as const) : kinds;
  return argumentSteps(frame, contract, check, repair, limits);
}

/** Repairs the arguments of a call by some kinds of repair; undefined if that does not make them valid as a whole. */
export function repairArguments(
  ...given: Parameters<typeof argumentSteps>
): RepairedCall | undefined {
  return runSteps(argumentSteps(...given));
}

function* argumentSteps(
  frame: Frame,
  { input: schema, declared }: Pick<ToolContract, "input" | "declared">,
  check: Check,
  repair: readonly RepairKind[],
  limits: CheckOptions,
): Generator<void, RepairedCall | undefined, void> {
  const range = frame.range("/params/arguments");
  if (schema === undefined || range === undefined) return undefined;
  const bytes = frame.bytes.subarray(range.start, range.end);
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
 * Returns the kinds of repair that settings allow for a tool, and those that the sender of the call asks for. Repairs
 * that guess what was meant are left out for a destructive tool, unless they were set for the tool itself.
 * @param isDestructive undefined if its annotations are not known, as of a tool that an earlier process learned
 */
export function repairsFor(
  { repair, repairOfTool }: RepairSettings,
  isDestructive: boolean | undefined,
  asked: readonly RepairKind[] = [],
): readonly RepairKind[] {
  const set = repairsNamed(repair);
  const mayGuess = (kind: RepairKind): boolean =>
    isDestructive === false || (repairOfTool === true && set.includes(kind));
  const kinds = asked.length === 0 ? set : repairsNamed([...set, ...asked]);
  return kinds.filter((kind) => SAFE_REPAIRS.includes(kind) || mayGuess(kind));
}
