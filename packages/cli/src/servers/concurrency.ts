/**
 * Runs a task for each item, at most `most` at the same time, started in the items' order.
 * @param most at least 1
 * @returns the promise of each task, in the same order
 */
export function mapConcurrently<T, R>(
  most: number,
  items: readonly T[],
  task: (item: T) => Promise<R>,
): readonly Promise<R>[] {
  const waiting: (() => void)[] = [];
  let free = most;
  return items.map(async (item) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task(item);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  });
}
