/** What a call is answered by that was given up. */
export const GIVEN_UP: unique symbol = Symbol("given up");

/**
 * Runs a handler for some time at the most. When that is over the handler's signal aborts, and nobody
 * waits for what it gives: a program cannot end it.
 * @param milliseconds no limit where absent
 * @param left aborted when the client leaves, which the handler is told of, and waited for
 * @throws what the handler throws in time
 */
export async function inTime<T>(
  milliseconds: number | undefined,
  left: AbortSignal,
  handler: (signal: AbortSignal) => T | Promise<T>,
): Promise<T | typeof GIVEN_UP> {
  if (milliseconds === undefined) return handler(left);
  const over = new AbortController();
  let giveUp: (value: typeof GIVEN_UP) => void = () => {};
  const late = new Promise<typeof GIVEN_UP>((resolve) => {
    giveUp = resolve;
  });
  const timer = setTimeout(() => {
    giveUp(GIVEN_UP);
    over.abort(new DOMException(`not done within ${milliseconds} ms`, "TimeoutError"));
  }, milliseconds);
  try {
    return await Promise.race([handler(AbortSignal.any([left, over.signal])), late]);
  } finally {
    clearTimeout(timer);
  }
}
