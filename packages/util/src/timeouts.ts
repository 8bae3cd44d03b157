/**
 * Returns the value of a promise, or what `instead` returns (or throws) if it takes longer than `ms` milliseconds.
 */
export function valueOrTimeout<T>(ms: number, promise: Promise<T>, instead: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => {
      try {
        resolve(instead());
      } catch (error) {
        reject(error);
      }
    };
    const timer = setTimeout(late, ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Resolves when a signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * Returns a signal that is aborted with `outer`, or with a `TimeoutError` after `ms` milliseconds. `AbortSignal.any`
 * over an `AbortSignal.timeout` does not do that: it references its sources weakly, and in Node.js 20 a timeout
 * without other references is collected and never fires.
 */
export function timeoutSignal(ms: number, outer: AbortSignal | undefined): AbortSignal {
  if (outer === undefined) return AbortSignal.timeout(ms);
  const limit = new AbortController();
  const late = (): void => limit.abort(new DOMException("The time is up.", "TimeoutError"));
  setTimeout(late, ms).unref();
  return AbortSignal.any([limit.signal, outer]);
}
