import { describe, expect, it } from "vitest";
import { OrderedRelease } from "./ordered.ts";

describe("OrderedRelease", () => {
  it("releases in the order of arrival, however long each takes", async () => {
    const released: number[] = [];
    const queue = new OrderedRelease<number>((value) => {
      released.push(value);
    });
    let finishFirst: (value: number) => void = () => {};
    const first = queue.add(new Promise<number>((resolve) => (finishFirst = resolve)));
    const second = queue.add(2);
    expect(queue.length).toBe(2);
    await Promise.resolve();
    expect(released).toEqual([]);
    finishFirst(1);
    await Promise.all([first, second]);
    expect(released).toEqual([1, 2]);
    expect(queue.length).toBe(0);
  });

  it("goes on after a task that failed, and tells its owner", async () => {
    const released: number[] = [];
    const queue = new OrderedRelease<number>((value) => {
      released.push(value);
    });
    const failed = queue.add(Promise.reject(new Error("lost")));
    const next = queue.add(2);
    await expect(failed).rejects.toThrow("lost");
    await next;
    expect(released).toEqual([2]);
    await queue.settled();
  });
});
