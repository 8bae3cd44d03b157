import { monotonicFactory } from "ulid";

const next = monotonicFactory();

/**
 * A ULID that sorts after every other one made in this process, also within one millisecond and
 * when the clock is set back.
 */
export function nextId(now: Date): string {
  return next(now.getTime());
}
