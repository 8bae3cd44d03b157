// Loaded into the gateway's process by `node --expose-gc --import`: tells, when it is asked over the
// channel to its parent, what the process uses after everything that nobody holds any more is gone.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.channel) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  process.on("message", (message) => {
    if (message !== "usage") return;
    const longestMs = delay.max / 1e6;
    // Twice: what finalizers release is found by the second.
    globalThis.gc();
    setImmediate(() => {
      globalThis.gc();
      const { heapUsed, rss, external } = process.memoryUsage();
      delay.reset();
      process.send({ heapUsed, rss, external, longestMs });
    });
  });
  // Listening on the channel must not keep the process alive.
  process.channel.unref();
}
