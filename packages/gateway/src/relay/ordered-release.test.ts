import { describe, expect, it } from "vitest";
import { OrderedRelease } from "./ordered-release.ts";

/** A queue of numbers, what it has released, and those whose release waits to be ended. */
function queueOf(release: (value: number) => Promise<void> | undefined = () => undefined) {
  const released: number[] = [];
  const queue = new OrderedRelease<number>(async (value) => {
    released.push(value);
    await release(value);
  });
  const add = (value: number): Promise<void> => queue.add(Promise.resolve(value));
  return { queue, released, add };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("OrderedRelease", () => {
  it("releases in order of arrival, however long each takes", async () => {
    const { queue, released, add } = queueOf();
    let finishFirst: (value: number) => void = () => {};
    const first = queue.add(new Promise<number>((resolve) => (finishFirst = resolve)));
    const second = add(2);
    expect(queue.length).toBe(2);
    await turn();
    expect(released).toEqual([]);
    finishFirst(1);
    await Promise.all([first, second]);
    expect(released).toEqual([1, 2]);
    expect(queue.length).toBe(0);
  });

  it("continues after a failed result, and rejects for its owner", async () => {
    const { queue, released, add } = queueOf();
    const failed = queue.add(Promise.reject(new Error("lost")));
    const next = add(2);
    await expect(failed).rejects.toThrow("lost");
    await next;
    expect(released).toEqual([2]);
    await queue.settled();
    expect(queue.length).toBe(0);
  });

  it("keeps the order even if a later result fails early", async () => {
    const { queue, released, add } = queueOf();
    let finishFirst: (value: number) => void = () => {};
    const first = queue.add(new Promise<number>((resolve) => (finishFirst = resolve)));
    const failed = queue.add(Promise.reject(new Error("lost")));
    const third = add(3);
    const told = expect(failed).rejects.toThrow("lost");
    await turn();
    expect(released).toEqual([]);
    finishFirst(1);
    await Promise.all([first, told, third]);
    expect(released).toEqual([1, 3]);
  });

  it("releases a ready first entry in the same turn of the event loop", async () => {
    const { queue, released, add } = queueOf();
    let turned = false;
    void turn().then(() => {
      turned = true;
    });
    await Promise.all([add(1), add(2)]);
    expect([turned, released, queue.length]).toEqual([false, [1, 2], 0]);
  });

  it("queues entries that are added during a release", async () => {
    let written = (): void => {};
    const { queue, released, add } = queueOf((value) => {
      if (value < 3) void add(value + 1);
      return value === 2 ? new Promise((resolve) => (written = resolve)) : undefined;
    });
    await add(1);
    await turn();
    expect(released).toEqual([1, 2]);
    expect(queue.length).toBe(2);
    const settled = queue.settled();
    written();
    await settled;
    expect(released).toEqual([1, 2, 3]);
    expect(queue.length).toBe(0);
  });

  it.each([
    [
      "at once",
      () => {
        throw new Error("gone");
      },
    ],
    ["later", () => Promise.reject(new Error("gone"))],
  ])("releases one at a time, even if a release is slow or fails %s", async (_, fail) => {
    const open: (() => void)[] = [];
    const { queue, released, add } = queueOf((value) =>
      value === 2 ? fail() : new Promise((resolve) => open.push(resolve)),
    );
    const first = add(1);
    const second = add(2);
    const third = add(3);
    const settled = queue.settled();
    const told = expect(second).rejects.toThrow("gone");
    await turn();
    expect(released).toEqual([1]);
    open.shift()?.();
    await first;
    await told;
    await turn();
    expect(released).toEqual([1, 2, 3]);
    open.shift()?.();
    await Promise.all([third, settled]);
    expect(queue.length).toBe(0);
  });
});
