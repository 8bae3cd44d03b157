import { setImmediate as nextTurn } from "node:timers/promises";
import { vi } from "vitest";

/** Returns how many turns of the event loop were left for other work while `work` ran. */
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
    // The current turn still has a start time of the mocked clock. The next turn starts with a real one.
    await nextTurn();
  }
}
