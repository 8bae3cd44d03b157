import { randomFillSync } from "node:crypto";
import { decodeTime, encodeTime, incrementBase32, ulid } from "ulid";

/** ULID's package asks the system for every digit, which takes 60 times as long as all the rest. */
const random = new Uint8Array(4096);
let used = random.length;

function randomFraction(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return (random[used++] ?? 0) / 256;
}

const TIME_DIGITS = 10;
/** Tell the ids of a millisecond apart. */
const COUNTED_DIGITS = 2;
const LAST_COUNT = "Z".repeat(COUNTED_DIGITS);

let moment = -1;
let [start, counted, end] = ["", "", ""];

function begin(time: number): void {
  const id = ulid(time, randomFraction);
  moment = time;
  start = id.slice(0, TIME_DIGITS);
  counted = id.slice(TIME_DIGITS, TIME_DIGITS + COUNTED_DIGITS);
  end = id.slice(TIME_DIGITS + COUNTED_DIGITS);
}

/**
 * Makes a ULID that sorts after every other one made in this process, also within one millisecond and
 * when the clock is set back; its moment may then be later than `now`.
 *
 * Within a millisecond the first two random digits count up. The package's `monotonicFactory` counts in the last digit:
 * people type the beginning of an id, and would have to type all of it.
 */
export function nextId(now: Date): string {
  const time = now.getTime();
  if (time > moment) begin(time);
  else if (counted === LAST_COUNT) begin(moment + 1);
  else counted = incrementBase32(counted);
  return start + counted + end;
}

/** Returns the moment in a ULID, in milliseconds since 1970; at least that of the clock when it was made. */
export function idTime(id: string): number {
  return decodeTime(id);
}

/**
 * Returns how many milliseconds the moment in a record's id lies after its time; NaN where that is none.
 * @throws the error of {@link idTime} where the id is none
 */
export function idSkew({ id, time }: { readonly id: string; readonly time: string }): number {
  return idTime(id) - Date.parse(time);
}

const LAST_MOMENT = 2 ** 48 - 1;

/** Returns the least ULID of a millisecond; every ULID of an earlier one is less. */
export function firstIdAt(milliseconds: number): string {
  return (
    encodeTime(Math.min(Math.max(0, Math.floor(milliseconds)), LAST_MOMENT), 10) + "0".repeat(16)
  );
}
