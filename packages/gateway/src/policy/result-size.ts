import type { Caller } from "./caller.ts";
import type { CallLimit } from "./rate.ts";

/** The smallest limit for the size of a result, and the level that sets it. */
export interface ResultLimit {
  readonly level: CallLimit["level"];
  readonly bytes: number;
}

/** Returns the smaller of the limit above a level and the level's own; the one above if they are equal. */
export function smallerLimit(
  above: ResultLimit | undefined,
  level: ResultLimit["level"],
  bytes: number | undefined,
): ResultLimit | undefined {
  if (bytes === undefined || (above !== undefined && above.bytes <= bytes)) return above;
  return { level, bytes };
}

/** A result that is over its limit. */
export interface OverSize extends ResultLimit {
  /** Bytes of the result. */
  readonly size: number;
}

/** Returns by which limit a result of this size is too large; undefined if it is not. */
export function overSize(
  configured: ResultLimit | undefined,
  caller: Caller | undefined,
  size: number,
): OverSize | undefined {
  const limit = smallerLimit(configured, "caller", caller?.resultBytes);
  return limit === undefined || size <= limit.bytes ? undefined : { ...limit, size };
}
