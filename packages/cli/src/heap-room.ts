import { getHeapStatistics, setFlagsFromString } from "node:v8";

const MB = 1024 * 1024;
/** What may be allocated before the whole heap is collected again, in bytes. */
const ROOM = 64 * MB;
/** A heap that holds more than this is left to V8. */
const LARGE = 128 * MB;
const MOST_PERCENT = 400;
const EVERY_MS = 10_000;

/**
 * Returns how much a heap may grow before it is collected as a whole, in percent of what it holds.
 * @param used bytes that it holds
 * @returns 0 if V8 is to decide
 */
export function growingPercent(used: number): number {
  return used > LARGE ? 0 : Math.min(Math.floor((ROOM / used) * 100), MOST_PERCENT);
}

/**
 * Lets this process's heap grow by up to 64 MB between two collections of the whole. V8 plans them by
 * what JavaScript allocates, and counts the bytes of frames in, which JavaScript does not: where frames
 * of 100 KB pass, it would mark a small heap that does not change over and over, in every thread that
 * it has, which takes longer than to relay them.
 */
export function giveHeapRoom(): void {
  const set = (): void => {
    const percent = growingPercent(getHeapStatistics().used_heap_size);
    setFlagsFromString(`--heap-growing-percent=${percent}`);
  };
  set();
  setInterval(set, EVERY_MS).unref();
}
