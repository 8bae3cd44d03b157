import { randomFillSync } from "node:crypto";
import { decodeTime, encodeTime, monotonicFactory } from "ulid";

/** Asking the system for every single byte costs more than all the rest. */
const random = new Uint8Array(4096);
let used = random.length;

/** One of 256 numbers from 0 on and below 1, each as likely as any other. */
function fraction(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const byte = random[used] ?? 0;
  used += 1;
  return byte / 256;
}

const next = monotonicFactory(fraction);

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

const LAST_MOMENT = 2 ** 48 - 1;

/** The least ULID of a millisecond; every ULID of an earlier one is less. */
export function firstIdAt(milliseconds: number): string {
  return (
    encodeTime(Math.min(Math.max(0, Math.floor(milliseconds)), LAST_MOMENT), 10) + "0".repeat(16)
  );
}
