import { setImmediate as nextTurn } from "node:timers/promises";
import { vi } from "vitest";

/** How many turns of the event loop others had while something was done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let working = true;
  const others = (): void => {
    turns += 1;
    if (working) setImmediate(others);
  };
  setImmediate(others);
  try {
    await work();
  } finally {
    working = false;
  }
  return turns;
}

/** Counts turns as {@link turnsDuring} does, on a clock that advances by some milliseconds at each reading. */
export async function turnsOnFastClock(
  milliseconds: number,
  work: () => Promise<unknown>,
): Promise<number> {
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    now += milliseconds;
    return now;
  });
  try {
    return await turnsDuring(work);
  } finally {
    clock.mockRestore();
    // The turn began at a time of that clock. The next turn begins at a real one.
    await nextTurn();
  }
}
