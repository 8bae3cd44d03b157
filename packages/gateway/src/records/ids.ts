import { randomFillSync } from "node:crypto";
import { decodeTime, encodeTime } from "ulid";

/** Asking the system for every single byte costs more than all the rest. */
const random = new Uint8Array(4096);
let used = random.length;

function randomByte(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return random[used++] ?? 0;
}

/** Crockford's Base32, as ULID has it. */
const DIGITS = Buffer.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ", "latin1");
const ZERO = 0x30;
const TIME_DIGITS = 10;
const ID_DIGITS = 26;
/** Twelve digits tell the ids of a millisecond apart, of which there are few: people type the beginning of one. */
const SHORT_DIGITS = 12;
/** By digit, the next higher one; 0 behind the last. */
const NEXT = new Uint8Array(256);
for (const [value, digit] of DIGITS.entries()) NEXT[digit] = DIGITS[value + 1] ?? 0;

/**
 * Makes ULIDs of which each sorts after those before it: within one millisecond the first two random digits go up, and
 * the last ones once those are used up. ULID has the last go up for monotonic ids; ids of one call would then differ in
 * their 26th digit only. Each call takes two, and the package's own are put together from strings, digit by digit.
 *
 * @param byte gives random bytes
 * @returns what makes the id of a moment, in milliseconds since 1970; where that is not after the last
 *   one, or its ids are used up, the id has a later moment in it
 */
export function createIds(byte: () => number): (time: number) => string {
  const last = Buffer.alloc(ID_DIGITS, ZERO);
  let lastTime = -1;

  function begin(time: number): void {
    lastTime = time;
    let left = time;
    for (let at = TIME_DIGITS - 1; at >= 0; at -= 1) {
      last[at] = DIGITS[left % 32] ?? ZERO;
      left = Math.floor(left / 32);
    }
    for (let at = TIME_DIGITS; at < ID_DIGITS; at += 1) last[at] = DIGITS[byte() % 32] ?? ZERO;
    // Room to count up: 512 ids of a millisecond at least.
    last[TIME_DIGITS] = DIGITS[DIGITS.indexOf(last[TIME_DIGITS] ?? ZERO) % 16] ?? ZERO;
  }

  /** Counts up in the digits from one place to another; false, and nothing is different, where they are at their end. */
  function increment(from: number, to: number): boolean {
    let at = to - 1;
    while (at >= from && NEXT[last[at] ?? ZERO] === 0) at -= 1;
    if (at < from) return false;
    last[at] = NEXT[last[at] ?? ZERO] ?? ZERO;
    last.fill(ZERO, at + 1, to);
    return true;
  }

  return (time) => {
    if (time > lastTime) begin(time);
    else if (!increment(TIME_DIGITS, SHORT_DIGITS) && !increment(SHORT_DIGITS, ID_DIGITS)) {
      begin(lastTime + 1);
    }
    return last.toString("latin1");
  };
}

const next = createIds(randomByte);

/**
 * A ULID that sorts after every other one made in this process, also within one millisecond and
 * when the clock is set back.
 */
export function nextId(now: Date): string {
  return next(now.getTime());
}

/** The moment in a ULID, in milliseconds since 1970; at least that of the clock when it was made. */
export function idTime(id: string): number {
  return decodeTime(id);
}

/**
 * How many milliseconds the moment in a record's id lies after its time; NaN where that is none.
 * @throws the error of {@link idTime} where the id is none
 */
export function idSkew({ id, time }: { readonly id: string; readonly time: string }): number {
  return idTime(id) - Date.parse(time);
}

const LAST_MOMENT = 2 ** 48 - 1;

/** The least ULID of a millisecond; every ULID of an earlier one is less. */
export function firstIdAt(milliseconds: number): string {
  return (
    encodeTime(Math.min(Math.max(0, Math.floor(milliseconds)), LAST_MOMENT), 10) + "0".repeat(16)
  );
}
