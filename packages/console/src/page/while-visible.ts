/** Resolves once the page is shown, at once where it is, or when the signal aborts. */
function shown(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
  });
}

/**
 * Does something again and again, each time so many milliseconds behind the end of the time before.
 * While nobody can see the page nothing is done; it is made up for when the page is shown again.
 * @param pause resolves after some milliseconds, or when the signal aborts
 * @param task says whether it is to be done again
 */
export async function whileVisible(
  milliseconds: number,
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>,
  task: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await pause(milliseconds, signal);
    await shown(signal);
    if (signal.aborted || !(await task())) return;
  }
}
