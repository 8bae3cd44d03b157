/**
 * Returns a function that requests work. The work begins `milliseconds` later, once for all requests until then, and
 * again for requests while it runs: if two requests overlapped, the older one could finish last.
 * @param work must not reject
 * @param signal ends it
 */
export function coalesce(
  milliseconds: number,
  work: () => Promise<void>,
  signal: AbortSignal,
): () => void {
  let isBusy = false;
  let isDue = false;
  const run = async (): Promise<void> => {
    if (signal.aborted) return;
    isDue = false;
    await work();
    isBusy = false;
    if (isDue) ask();
  };
  const ask = (): void => {
    isDue = true;
    if (isBusy) return;
    isBusy = true;
    setTimeout(() => void run(), milliseconds);
  };
  return ask;
}
