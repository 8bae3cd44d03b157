// Loaded into a gateway with `--import`: writes, for each turn of the event loop that takes more than a few
// milliseconds of its main thread's processor time, that time and the process's memory. Linux only.
import { appendFileSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.TOUCHSTONE_BENCH_TURNS;
/** Interval between two samples, and minimum length of a turn that is written, in milliseconds. */
const EVERY = 2;
const SMALL = 4;

if (isMainThread && file !== undefined) {
  const schedule = `/proc/self/task/${process.pid}/schedstat`;
  /** Processor time of the main thread, in milliseconds. */
  const used = () => Number(readFileSync(schedule, "latin1").split(" ", 1)[0]) / 1e6;
  let before = used();
  setInterval(() => {
    const now = used();
    const ms = now - before;
    if (ms > SMALL) {
      const rss = process.memoryUsage.rss();
      appendFileSync(file, `${JSON.stringify({ ms, rss })}\n`);
    }
    before = used();
  }, EVERY).unref();
}
