/**
 * Returns a function that asks for work. It begins `milliseconds` later, for all who ask until then, and again for
 * those who ask while it runs: of two requests that overlap, the older one could be answered last.
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
