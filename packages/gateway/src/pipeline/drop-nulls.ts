import { checkAtOnce } from "@touchstone/core";
import { checkOptions, listsNulls } from "../policy/settings.ts";
import type { ClientExchange } from "./exchange.ts";
import { repairArguments } from "./repair.ts";
import { readJudged } from "./stages/decode.ts";

/** Longer arguments stay as they are (see `repairText`). */
const MAX_BYTES = 262_144;
const OPEN_OBJECT = 0x7b;

/**
 * Takes the nulls out of a call's arguments that its tool's own schema refuses, if the client was told to send them. All
 * other bytes stay as they came. Does nothing if that does not make the arguments valid, or takes more than a few
 * milliseconds: the check that follows says what is wrong.
 */
export function dropNulls(exchange: ClientExchange): void {
  const { frame, settings, snapshot, state, toolName } = exchange;
  if (toolName === undefined || !listsNulls(settings.adapt)) return;
  const range = frame.range("/params/arguments");
  const { contract } = exchange.lookup;
  if (range === undefined || contract?.input === undefined || frame.scan.overKeys !== undefined)
    return;
  const bytes = frame.bytes.subarray(range.start, range.end);
  if (bytes.length > MAX_BYTES || bytes[0] !== OPEN_OBJECT) return;
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("null")) return;
  const check = checkAtOnce(contract.input, bytes, checkOptions(settings.input));
  if (check === undefined) return;
  const made = repairArguments(frame, contract, check, ["drop-nulls"], settings.input);
  if (made === undefined) return;
  exchange.fitted(
    readJudged(state.context, snapshot, made.bytes, () => toolName),
    made.repairs,
  );
}
