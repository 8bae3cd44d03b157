import { once } from "node:events";
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { processorTime } from "./processor.ts";

const isTold = "threadCpuUsage" in process || existsSync("/proc/thread-self/schedstat");
const BUSY_MS = 100;

/** Milliseconds of all threads. */
function timeOfAll(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Takes a processor for some milliseconds, and asks the system for nothing. */
function compute(steps: number): number {
  let value = 1;
  for (let i = 0; i < steps; i += 1) value = (value * 48_271) % 2_147_483_647;
  return value;
}

describe.runIf(isTold)("processorTime", () => {
  it("counts what this thread takes, up to the moment", () => {
    // Often: what the system knows of a running thread may be some milliseconds old.
    for (let i = 0; i < 40; i += 1) {
      compute(500_000 + 20_000 * i);
      const own = processorTime();
      const ofAll = timeOfAll();
      compute(500_000 + 20_000 * i);
      const took = processorTime() - own;
      // Beside it what lies between the two readings.
      expect(took).toBeLessThanOrEqual(timeOfAll() - ofAll + 1);
      expect(took).toBeGreaterThan(0);
    }
  });

  it("counts nothing of what other threads take", async () => {
    const cells = new Int32Array(new SharedArrayBuffer(8));
    const busy = new Worker(
      `const { cells, milliseconds } = require("node:worker_threads").workerData;
      Atomics.wait(cells, 0, 0);
      const time = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
      const end = time() + milliseconds;
      while (time() < end);
      Atomics.store(cells, 1, 1);
      Atomics.notify(cells, 1);`,
      { eval: true, workerData: { cells, milliseconds: BUSY_MS } },
    );
    try {
      await once(busy, "online");
      const ofAll = timeOfAll();
      const own = processorTime();
      Atomics.store(cells, 0, 1);
      Atomics.notify(cells, 0);
      Atomics.wait(cells, 1, 0);
      const took = processorTime() - own;
      expect(timeOfAll() - ofAll).toBeGreaterThanOrEqual(BUSY_MS);
      expect(took).toBeLessThan(BUSY_MS / 2);
    } finally {
      await busy.terminate();
    }
  });
});
