/// <reference types="node" />

/** What a task gives whose time is over, or whose request was cancelled. */
export const ABORTED: unique symbol = Symbol("aborted");

/**
 * Runs a task until its time is over or the request is cancelled; both abort its signal.
 * @param late the reason of the signal when the time is over
 * @throws what the task throws until then
 */
export async function within<T>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  task: (signal: AbortSignal) => T | Promise<T>,
  late?: string,
): Promise<T | typeof ABORTED> {
  const controller = new AbortController();
  // Many checks share the request's signal: each listens to one of its own.
  const signals = outer === undefined ? [controller.signal] : [controller.signal, outer];
  const signal = AbortSignal.any(signals);
  const timer = setTimeout(() => controller.abort(late), milliseconds);
  let abort = (): void => {};
  try {
    if (signal.aborted) return ABORTED;
    const aborted = new Promise<typeof ABORTED>((resolve) => {
      abort = () => resolve(ABORTED);
      signal.addEventListener("abort", abort, { once: true });
    });
    return await Promise.race([Promise.resolve(task(signal)), aborted]);
  } finally {
    clearTimeout(timer);
    // A signal that is listened to lives as long as those that it follows.
    signal.removeEventListener("abort", abort);
  }
}
