import { once } from "node:events";
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { DeadlineError } from "../schema/deadline.ts";
import { nodeDeadline } from "./deadline.ts";

// Limits are generous where a result is expected: these machines are slow under load.
const ENOUGH_MS = 20_000;
const SHORT_MS = 20;
/** With time for what is begun again, however long the machine holds it up. */
const HELD_UP_MS = 250;
const isThreadTold = "threadCpuUsage" in process || existsSync("/proc/thread-self/schedstat");

const forever = (): never => {
  for (;;);
};

describe("nodeDeadline", () => {
  it("gives the task's result as it is", () => {
    const result = { a: 1 };
    expect(nodeDeadline.run(ENOUGH_MS, () => result)).toBe(result);
    expect(nodeDeadline.run(ENOUGH_MS, () => undefined)).toBeUndefined();
  });

  it("throws what the task throws", () => {
    const error = new RangeError("deep");
    expect(() =>
      nodeDeadline.run(ENOUGH_MS, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  it("ends a loop, which cannot catch it", () => {
    let caught = false;
    const stubborn = (): never => {
      try {
        return forever();
      } catch (thrown) {
        caught = true;
        throw thrown;
      }
    };
    expect(() => nodeDeadline.run(SHORT_MS, stubborn)).toThrow(DeadlineError);
    expect(caught).toBe(false);
  });

  it("ends a catastrophic regular expression", () => {
    const pattern = /^(a+)+$/;
    const text = `${"a".repeat(40)}!`;
    expect(() => nodeDeadline.run(SHORT_MS, () => pattern.test(text))).toThrow(DeadlineError);
  });

  describe.runIf(isThreadTold)("a task that had no processor", () => {
    const cells = new Int32Array(new SharedArrayBuffer(4));
    let begun = 0;
    // Waits and takes no processor, as where others have it. On a busy machine time may be up before it is begun.
    const heldUp = (times: number) => (): number => {
      begun += 1;
      if (begun <= times) Atomics.wait(cells, 0, 0, ENOUGH_MS);
      return begun;
    };

    it("is begun again", () => {
      begun = 0;
      expect(nodeDeadline.run(HELD_UP_MS, heldUp(1))).toBeGreaterThan(1);
    });

    it("is not begun for ever", () => {
      begun = 0;
      expect(() => nodeDeadline.run(SHORT_MS, heldUp(9))).toThrow(DeadlineError);
      expect(begun).toBeLessThanOrEqual(4);
    });

    it("is begun again where another thread of the process had one", async () => {
      const busy = new Worker("for (;;);", { eval: true });
      try {
        await once(busy, "online");
        begun = 0;
        expect(nodeDeadline.run(HELD_UP_MS, heldUp(1))).toBeGreaterThan(1);
      } finally {
        await busy.terminate();
      }
    });
  });

  it("nests: the inner one ends alone", () => {
    const result = nodeDeadline.run(ENOUGH_MS, () => {
      try {
        nodeDeadline.run(SHORT_MS, forever);
      } catch (thrown) {
        return thrown instanceof DeadlineError && thrown.milliseconds;
      }
      return undefined;
    });
    expect(result).toBe(SHORT_MS);
  });

  it("is as good after many ends as before", () => {
    for (let i = 0; i < 20; i += 1) {
      expect(() => nodeDeadline.run(1, forever)).toThrow(DeadlineError);
    }
    expect(nodeDeadline.run(ENOUGH_MS, () => 7)).toBe(7);
  });
});
