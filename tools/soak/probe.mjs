// Loaded into the gateway's process by `node --expose-gc --import`: on request over the channel to its parent, reports
// what the process uses after garbage collection.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.channel) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  process.on("message", (message) => {
    if (message !== "usage") return;
    const longestMs = delay.max / 1e6;
    // Collects twice: the second collection finds what finalizers release.
    globalThis.gc();
    setImmediate(() => {
      globalThis.gc();
      const { heapUsed, rss, external } = process.memoryUsage();
      delay.reset();
      process.send({ heapUsed, rss, external, longestMs });
    });
  });
  // The listener on the channel must not keep the process alive.
  process.channel.unref();
}
