/**
 * What a promise gives, or what `instead` gives (or throws) where it takes longer than `ms` milliseconds.
 */
export function orAfter<T>(ms: number, promise: Promise<T>, instead: () => T): Promise<T> {
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
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
