import { expect, it } from "vitest";
import { runInTurns } from "./check-response.ts";

/** Work of at least 2 ms in each step. */
function* work(steps: number, took: () => void): Generator<void, number, void> {
  for (let i = 0; i < steps; i++) {
    const began = performance.now();
    while (performance.now() - began < 2);
    took();
    yield;
  }
  return steps;
}

it("lets all requests together work no longer per turn than one alone", async () => {
  let inThisTurn = 0;
  let most = 0;
  const took = (): void => {
    inThisTurn += 1;
    most = Math.max(most, inThisTurn);
  };
  let isOver = false;
  const tick = (): void => {
    inThisTurn = 0;
    if (!isOver) setImmediate(tick);
  };
  tick();
  // Each piece of work begins before the others have ended.
  const all = Array.from({ length: 10 }, (_, i) =>
    new Promise<void>((begin) => setImmediate(begin)).then(() => runInTurns(work(10 + i, took))),
  );
  expect(await Promise.all(all)).toEqual(Array.from({ length: 10 }, (_, i) => 10 + i));
  isOver = true;
  // Five steps take the time of one turn. Work that begins in a turn may be counted with the turn before.
  expect(most).toBeLessThanOrEqual(12);
});
