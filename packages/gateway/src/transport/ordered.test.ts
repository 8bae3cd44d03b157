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

  it("releases at once what is ready and has nobody before it", () => {
    const released: number[] = [];
    const queue = new OrderedRelease<number>((value) => {
      released.push(value);
    });
    void queue.add(1);
    void queue.add(2);
    expect(released).toEqual([1, 2]);
    expect(queue.length).toBe(0);
  });

  it("queues what is added while something is released", async () => {
    const released: number[] = [];
    let written = (): void => {};
    const queue = new OrderedRelease<number>((value) => {
      released.push(value);
      if (value === 1) void queue.add(2);
      if (value === 2) void queue.add(3);
      return value === 2 ? new Promise((resolve) => (written = resolve)) : undefined;
    });
    await queue.add(1);
    expect(released).toEqual([1, 2]);
    expect(queue.length).toBe(2);
    const settled = queue.settled();
    written();
    await settled;
    expect(released).toEqual([1, 2, 3]);
    expect(queue.length).toBe(0);
  });

  it("waits for a release that had nobody before it and what came while it began", async () => {
    const released: number[] = [];
    let written = (): void => {};
    const queue = new OrderedRelease<number>((value) => {
      released.push(value);
      if (value !== 1) return undefined;
      void queue.add(2);
      return new Promise((resolve) => (written = resolve));
    });
    const first = queue.add(1);
    const third = queue.add(3);
    expect(released).toEqual([1]);
    written();
    await Promise.all([first, third, queue.settled()]);
    expect(released).toEqual([1, 2, 3]);
    expect(queue.length).toBe(0);
  });

  it("goes on behind a release that had nobody before it and fails", async () => {
    const released: number[] = [];
    const queue = new OrderedRelease<number>((value) => {
      released.push(value);
      if (value === 1) throw new Error("gone");
    });
    await expect(queue.add(1)).rejects.toThrow("gone");
    await queue.add(2);
    expect(released).toEqual([1, 2]);
    expect(queue.length).toBe(0);
  });

  it("releases one after the other, also where releasing takes long or fails", async () => {
    const released: number[] = [];
    const open: (() => void)[] = [];
    const queue = new OrderedRelease<number>((value) => {
      released.push(value);
      if (value === 2) throw new Error("gone");
      return new Promise((resolve) => open.push(resolve));
    });
    const first = queue.add(1);
    const second = queue.add(2);
    const third = queue.add(3);
    const settled = queue.settled();
    expect(released).toEqual([1]);
    open.shift()?.();
    await first;
    await expect(second).rejects.toThrow("gone");
    expect(released).toEqual([1, 2, 3]);
    open.shift()?.();
    await Promise.all([third, settled]);
    expect(queue.length).toBe(0);
  });

  it("goes on behind a release that takes long and fails then", async () => {
    const released: number[] = [];
    const queue = new OrderedRelease<number>((value) => {
      released.push(value);
      return value === 1 ? Promise.reject(new Error("gone")) : undefined;
    });
    const first = queue.add(1);
    const second = queue.add(2);
    await expect(first).rejects.toThrow("gone");
    await second;
    expect(released).toEqual([1, 2]);
    expect(queue.length).toBe(0);
  });
});
