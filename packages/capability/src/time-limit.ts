/// <reference types="node" />

/** The result of a task whose time is over, or whose request was canceled. */
export const ABORTED: unique symbol = Symbol("aborted");

/**
 * Runs a task until its time is over or the request is canceled; both abort its signal.
 * @param late the reason of the signal when the time is over
 * @throws the task's errors until then
 */
export async function withTimeLimit<T>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  task: (signal: AbortSignal) => T | Promise<T>,
  late?: string,
): Promise<T | typeof ABORTED> {
  const controller = new AbortController();
  // Many checks share the signal of one request, so each of them listens to its own signal that follows it.
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
    // A signal that has listeners is kept alive by the signals that it follows, so the listener is removed.
    signal.removeEventListener("abort", abort);
  }
}
