import { checkAtOnce, decodeUtf8, repairText } from "@touchstone/core";
import { spliceFrame } from "@touchstone/protocol";
import { checkOptions, listsNulls } from "../policy/settings.ts";
import { repairsText } from "../records/repairs.ts";
import type { ClientExchange } from "./exchange.ts";
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
  const { frame, settings, state } = exchange;
  if (frame.toolName === undefined || !listsNulls(settings.adapt)) return;
  const range = frame.range("/params/arguments");
  const { contract } = exchange.lookup;
  const schema = contract?.input;
  if (range === undefined || schema === undefined || frame.scan.overKeys !== undefined) return;
  const bytes = frame.bytes.subarray(range.start, range.end);
  if (bytes.length > MAX_BYTES || bytes[0] !== OPEN_OBJECT) return;
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("null")) return;
  const limits = checkOptions(settings.input);
  const check = checkAtOnce(schema, bytes, limits);
  if (check === undefined) return;
  const { declared } = contract ?? {};
  const made = repairText({ schema, declared, bytes, check, repair: ["drop-nulls"], limits });
  if (made === undefined) return;
  const text = decodeUtf8(made.bytes);
  const { toolName } = frame;
  const onward = spliceFrame(frame.bytes, [{ range, text }]);
  exchange.fitted(
    readJudged(state.context, onward, () => toolName),
    repairsText(made.repairs),
  );
}
