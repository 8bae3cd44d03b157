import { describe, expect, it } from "vitest";
import { DeadlineError } from "../schema/deadline.ts";
import { nodeDeadline } from "./deadline.ts";

// Limits are generous where a result is expected: these machines are slow under load.
const ENOUGH_MS = 20_000;
const SHORT_MS = 20;

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

  it("begins a task again that had no processor, and not for ever", () => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    let begun = 0;
    // Waits and takes no processor, as where others have it.
    const heldUp = (times: number) => (): number => {
      begun += 1;
      if (begun <= times) Atomics.wait(cell, 0, 0, ENOUGH_MS);
      return begun;
    };
    expect(nodeDeadline.run(SHORT_MS, heldUp(2))).toBe(3);
    begun = 0;
    expect(() => nodeDeadline.run(SHORT_MS, heldUp(9))).toThrow(DeadlineError);
    expect(begun).toBe(4);
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
