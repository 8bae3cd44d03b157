import {
  type Check,
  type CompiledSchema,
  checkAtOnce,
  decodeUtf8,
  locatePointers,
  pointerTokens,
  valueAt,
} from "@touchstone/core/advanced";
import { memberRange, spliceFrame } from "@touchstone/protocol/advanced";
import { repairsText } from "@touchstone/records/plain";
import { requiresNullable } from "../features/adapt/adapt.ts";
import { repairArguments } from "../features/repair/repair-arguments.ts";
import { checkOptions } from "../settings/validation.ts";
import type { ClientExchange } from "./exchange.ts";
import { readFrameForCheck } from "./stages/decode.ts";

/** Longer arguments stay as they are (see `repairText`). */
const MAX_BYTES = 262_144;
/** How many nulls are checked if the arguments have other faults, and how many of them individually. */
const MAX_NULLS = 64;
const MAX_SINGLE = 8;
const OPEN_OBJECT = 0x7b;

/**
 * Takes the nulls out of a call's arguments that its tool's own schema refuses, if the listed schema required the
 * client to send them. All other bytes are unchanged. If the schema requires a member, a null in it stays, because
 * its removal would not help. Does nothing if it takes more than a few milliseconds: the check that follows then
 * reports the nulls.
 */
export function dropNulls(exchange: ClientExchange): void {
  const { frame, settings, snapshot, state, toolName } = exchange;
  if (toolName === undefined || !requiresNullable(settings.adapt)) return;
  const range = frame.range("/params/arguments");
  const { contract } = exchange.lookup;
  if (range === undefined || contract?.input === undefined || frame.scan.overKeys !== undefined)
    return;
  const bytes = frame.bytes.subarray(range.start, range.end);
  if (bytes.length > MAX_BYTES || bytes[0] !== OPEN_OBJECT) return;
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("null")) return;
  const limits = checkOptions(settings.input);
  const check = checkAtOnce(contract.input, bytes, limits);
  if (check === undefined) return;
  const made = repairArguments(frame, contract, check, ["drop-nulls"], limits);
  const read = (whole: Uint8Array, repairs: string): void =>
    exchange.fitted(
      readFrameForCheck(state.context, snapshot, whole, () => toolName),
      repairs,
    );
  if (made !== undefined) {
    read(made.bytes, made.repairs);
    return;
  }
  const fewer = withFewerNulls(bytes, contract.input, check, limits);
  if (fewer === undefined) return;
  const { bytes: text, paths } = fewer;
  const repairs = repairsText(paths.map((path) => ({ kind: "drop-nulls", path })));
  read(spliceFrame(frame.bytes, [{ range, text: decodeUtf8(text) }]), repairs);
}

/** Arguments without some of their nulls. */
interface FewerNulls {
  readonly bytes: Uint8Array;
  readonly paths: readonly string[];
}

/**
 * For arguments that also have other faults: removes the nulls whose removal fixes an issue and causes none, either
 * all that have an issue together, or a few of them individually. Undefined if there are no such nulls, or if a check
 * takes too long.
 */
function withFewerNulls(
  bytes: Uint8Array,
  schema: CompiledSchema,
  check: Check,
  limits: ReturnType<typeof checkOptions>,
): FewerNulls | undefined {
  if (check.outcome !== "violation" || check.truncated !== undefined) return undefined;
  const root: unknown = JSON.parse(decodeUtf8(bytes));
  const paths = [...new Set(check.errors.map(({ path }) => path))].filter(
    (path) => path !== "" && valueAt(root, pointerTokens(path))?.value === null,
  );
  if (paths.length === 0 || paths.length > MAX_NULLS) return undefined;
  const cures = (before: Check, text: Uint8Array): Check | undefined => {
    const after = checkAtOnce(schema, text, limits);
    return after !== undefined && isCured(before, after) ? after : undefined;
  };
  const all = without(bytes, paths);
  if (all !== undefined && cures(check, all) !== undefined) return { bytes: all, paths };
  let [text, current] = [bytes, check];
  const taken: string[] = [];
  for (const path of paths.slice(0, MAX_SINGLE)) {
    const next = without(text, [path]);
    const after = next && cures(current, next);
    if (next === undefined || after === undefined) continue;
    [text, current] = [next, after];
    taken.push(path);
  }
  return taken.length === 0 ? undefined : { bytes: text, paths: taken };
}

/** Returns whether one check has fewer issues than another, and none that the other one lacks. */
function isCured(before: Check, after: Check): boolean {
  const keyOf = ({ path, keyword, rule }: Check["errors"][number]): string =>
    JSON.stringify([path, rule, keyword]);
  const known = new Set(before.errors.map(keyOf));
  return (
    after.errors.length < before.errors.length &&
    after.errors.every((issue) => known.has(keyOf(issue)))
  );
}

/** Returns arguments without some members; undefined if one of them is not a member of an object. */
function without(bytes: Uint8Array, paths: readonly string[]): Uint8Array | undefined {
  // Begins with the last one, so that the positions of the others stay valid.
  const places = [...locatePointers(bytes, paths).values()].sort(
    (a, b) => b.value.start - a.value.start,
  );
  let text = bytes;
  for (const { found, key, value } of places) {
    if (!found || key === undefined) return undefined;
    const { start, end } = memberRange(text, value);
    // The key may have an escaped quote in it.
    if (start > key.start) return undefined;
    text = spliceFrame(text, [{ range: { start, end }, text: "" }]);
  }
  return text;
}
