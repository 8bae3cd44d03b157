/**
 * How long who is to leave has in a hurry, in milliseconds. Clients of the official SDKs kill a server 2 s after
 * their SIGTERM; by then its own server must be gone, or nobody is left to end it.
 */
const HURRY_MS = 700;

/**
 * Whether something ends within a time.
 * @param ended resolves when it has
 * @param hurry when aborted, only a moment is left
 */
export async function leavesWithin(
  milliseconds: number,
  ended: Promise<unknown>,
  hurry?: AbortSignal,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  let hasten = (): void => {};
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
    hasten = () => {
      clearTimeout(timer);
      timer = setTimeout(() => resolve(false), Math.min(milliseconds, HURRY_MS));
    };
    if (hurry?.aborted) hasten();
    else hurry?.addEventListener("abort", hasten, { once: true });
  });
  const left = await Promise.race([ended.then(() => true as const), timeout]);
  clearTimeout(timer);
  hurry?.removeEventListener("abort", hasten);
  return left;
}
