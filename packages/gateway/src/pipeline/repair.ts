import {
  type Check,
  decodeUtf8,
  encodeUtf8,
  REPAIR_KINDS,
  type RepairKind,
  repairText,
  SAFE_REPAIRS,
} from "@touchstone/core";
import { type Frame, spliceFrame } from "@touchstone/protocol";
import type { ToolContract } from "../contracts/contract.ts";
import type { ToolCall } from "./in-flight.ts";

/** A call whose arguments were repaired. */
export interface RepairedCall {
  /** The frame: the same bytes, but for the edited ranges of its arguments. */
  readonly bytes: Uint8Array;
  /** Kinds and places, such as `coerce-scalars at /n; drop-nulls at /text`. */
  readonly repairs: string;
  /** JSON Patch (RFC 6902) that makes the arguments that are sent of those that came. */
  readonly patch: Uint8Array;
}

/** What these do to arguments is a guess at what was meant. */
const GUESSES: ReadonlySet<RepairKind> = new Set(["fill-defaults", "rename-properties"]);

const OPEN_OBJECT = 0x7b;

/**
 * Repairs the arguments of a call that failed their check, by the kinds of repair that its settings allow. Returns
 * undefined if that does not make them valid as a whole.
 */
export function repairCall(frame: Frame, call: ToolCall, check: Check): RepairedCall | undefined {
  if (check.outcome !== "violation") return undefined;
  const { contract, settings } = call;
  const schema = contract?.input;
  const range = frame.range("/params/arguments");
  if (contract === undefined || schema === undefined || range === undefined) return undefined;
  const repair = kindsFor(call, contract);
  // The header would no longer say the same.
  if (repair.length === 0 || contract.mayMirror) return undefined;
  const { maxBytes, maxDepth } = settings.input;
  const repaired = repairText({
    schema,
    declared: contract.declared,
    bytes: frame.bytes.subarray(range.start, range.end),
    check,
    repair,
    limits: { maxBytes, maxDepth },
  });
  if (repaired === undefined || repaired.bytes[0] !== OPEN_OBJECT) return undefined;
  return {
    bytes: spliceFrame(frame.bytes, [{ range, text: decodeUtf8(repaired.bytes) }]),
    repairs: repaired.repairs
      .map(({ kind, path }) => `${kind} at ${path || "the root"}`)
      .join("; "),
    patch: encodeUtf8(repaired.patch),
  };
}

function kindsFor(
  { settings: { input } }: ToolCall,
  { isDestructive }: ToolContract,
): readonly RepairKind[] {
  const named: readonly string[] = input.repair;
  const isSafe = named.includes("safe");
  const kinds = REPAIR_KINDS.filter(
    (kind) =>
      named.includes("all") || named.includes(kind) || (isSafe && SAFE_REPAIRS.includes(kind)),
  );
  // Of a tool that an earlier process learnt, the annotations are not known.
  const mayGuess = isDestructive === false || input.repairOfTool === true;
  return mayGuess ? kinds : kinds.filter((kind) => !GUESSES.has(kind));
}
