import { availableParallelism } from "node:os";

/** Runs `work` on every item, with as many at a time as there are processors; returns results by item. */
export async function eachAtOnce(items, work) {
  const results = new Map(items.map((item) => [item, undefined]));
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      results.set(item, await work(item));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}
