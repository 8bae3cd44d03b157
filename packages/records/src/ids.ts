import { randomFillSync } from "node:crypto";
import { decodeTime, encodeTime, incrementBase32, ulid } from "ulid";

/** ULID's package requests each digit from the system, which takes 60 times as long as everything else. */
const random = new Uint8Array(4096);
let used = random.length;

function randomFraction(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return (random[used++] ?? 0) / 256;
}

const ID_LENGTH = 26;
const TIME_DIGITS = 10;
const LAST_MOMENT = 2 ** 48 - 1;
/** How many digits distinguish the ids of one millisecond. */
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
 * Makes a ULID that sorts after all earlier ones of this process, even within one millisecond and if the clock is set
 * back; its time may then be later than `now`.
 *
 * Within a millisecond the first two random digits count up. The package's `monotonicFactory` increments the last
 * digit, so people who type the beginning of an id would have to type all of it.
 */
export function nextId(now: Date): string {
  const time = now.getTime();
  if (time > moment) begin(time);
  else if (counted === LAST_COUNT) begin(moment + 1);
  else counted = incrementBase32(counted);
  return start + counted + end;
}

/** The values of Crockford's digits by their character code; -1 for other characters. */
const VALUES: Int8Array = new Int8Array(128).fill(-1);
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
for (let value = 0; value < DIGITS.length; value += 1) {
  VALUES[DIGITS.charCodeAt(value)] = value;
  VALUES[DIGITS.toLowerCase().charCodeAt(value)] = value;
}

/**
 * Returns the time in a ULID, in milliseconds since 1970; it is at least the clock's time when the ULID was made.
 * @throws ULIDError if it is not a ULID
 */
export function idTime(id: string): number {
  if (id.length !== ID_LENGTH) return decodeTime(id);
  let time = 0;
  for (let at = 0; at < TIME_DIGITS; at += 1) {
    const value = VALUES[id.charCodeAt(at)] ?? -1;
    // Calls the package's function, because it throws the error.
    if (value < 0) return decodeTime(id);
    time = time * DIGITS.length + value;
  }
  return time <= LAST_MOMENT ? time : decodeTime(id);
}

/**
 * Returns how many milliseconds the time in a record's id is after the record's time; NaN if that is invalid.
 * @throws the error of {@link idTime} if the id is invalid
 */
export function idSkew({ id, time }: { readonly id: string; readonly time: string }): number {
  return idTime(id) - Date.parse(time);
}

/**
 * Makes all later ids of this process sort after an id of another process, which may be of the same millisecond or of
 * a later one.
 */
export function advancePastId(id: string): void {
  const time = Math.min(idTime(id) + 1, LAST_MOMENT);
  if (time > moment) begin(time);
}

/** Returns the smallest ULID of a millisecond; every earlier ULID is smaller. */
export function firstIdAt(milliseconds: number): string {
  return (
    encodeTime(Math.min(Math.max(0, Math.floor(milliseconds)), LAST_MOMENT), 10) + "0".repeat(16)
  );
}
