import { getHeapStatistics, setFlagsFromString } from "node:v8";

const MB = 1024 * 1024;
/** How many bytes may be allocated before the next full garbage collection. */
const ROOM = 64 * MB;
/** If a heap holds more than this, V8's own setting is used. */
const LARGE = 128 * MB;
const MOST_PERCENT = 400;
const EVERY_MS = 10_000;

/**
 * Returns how much a heap may grow before a full garbage collection, in percent of its size.
 * @param used the size of the heap, in bytes
 * @returns 0 to use V8's own setting
 */
export function growingPercent(used: number): number {
  return used > LARGE ? 0 : Math.min(Math.floor((ROOM / used) * 100), MOST_PERCENT);
}

/**
 * Lets this process's heap grow by up to 64 MB between full collections. V8 schedules them by the memory that
 * JavaScript allocates, but also counts the bytes of frames, which JavaScript does not allocate. With frames of 100
 * KB it would mark a small, unchanged heap repeatedly on all of its threads, which takes longer than relaying the
 * frames.
 */
export function raiseHeapGrowth(): void {
  const set = (): void => {
    const percent = growingPercent(getHeapStatistics().used_heap_size);
    setFlagsFromString(`--heap-growing-percent=${percent}`);
  };
  set();
  setInterval(set, EVERY_MS).unref();
}
