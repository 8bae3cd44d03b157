import {
  type Check,
  decodeUtf8,
  encodeUtf8,
  parseJson,
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
/** Annotates a property whose value a header repeats (MCP 2026-07-28, Tools, `x-mcp-header`). */
const MIRRORED = '"x-mcp-header"';

/**
 * Repairs the arguments of a call that failed their check, by the kinds of repair that its settings allow. Returns
 * undefined if that does not make them valid as a whole.
 */
export function repairCall(frame: Frame, call: ToolCall, check: Check): RepairedCall | undefined {
  const { contract, settings } = call;
  const schema = contract?.input;
  const range = frame.range("/params/arguments");
  if (contract === undefined || schema === undefined || range === undefined) return undefined;
  if (check.outcome !== "violation" || frame.scan.overKeys !== undefined) return undefined;
  const repair = kindsFor(call, contract);
  if (repair.length === 0 || isMirrored(contract)) return undefined;
  const { maxBytes, maxDepth } = settings.input;
  const repaired = repairText({
    schema,
    declared: declaredBy(contract),
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
  if (input.repair.length === 0) return [];
  const named = new Set<string>(input.repair);
  const isSafe = named.has("safe");
  const kinds = REPAIR_KINDS.filter(
    (kind) => named.has("all") || named.has(kind) || (isSafe && SAFE_REPAIRS.includes(kind)),
  );
  // Of a tool that an earlier process learnt, the annotations are not known.
  const mayGuess = isDestructive === false || input.repairOfTool === true;
  return mayGuess ? kinds : kinds.filter((kind) => !GUESSES.has(kind));
}

/** Whether a header repeats an argument: it would no longer say the same. */
function isMirrored({ inputText }: ToolContract): boolean {
  return inputText !== undefined && Buffer.from(inputText).includes(MIRRORED);
}

const declared: WeakMap<ToolContract, unknown> = new WeakMap();

function declaredBy(contract: ToolContract): unknown {
  if (!declared.has(contract)) {
    const parsed = contract.inputText && parseJson(contract.inputText);
    declared.set(contract, parsed?.ok === true ? parsed.value : undefined);
  }
  return declared.get(contract);
}
