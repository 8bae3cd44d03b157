import { expect, it } from "vitest";
import { type BacklogLimits, Backpressure, OrderedRelease } from "./ordered-release.ts";

const MIB = 1024 * 1024;

/** A queue whose first value is released when it is told to, and what becomes of its source. */
function held(limits?: BacklogLimits) {
  let release: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    release = resolve;
  });
  const queue = new OrderedRelease<{ wait: Promise<void> | undefined }>(async ({ wait }) => wait);
  const seen = { paused: false, times: 0 };
  const source = {
    pause: () => {
      seen.paused = true;
      seen.times += 1;
    },
    resume: () => {
      seen.paused = false;
    },
  };
  const water = new Backpressure(queue, source, limits);
  const add = (bytes: number, wait?: Promise<void>): void =>
    water.added(bytes, queue.add(Promise.resolve({ wait })));
  return { add, first, release, seen, settled: () => queue.settled() };
}

it.each([
  ["up to 1 MiB of frames", [MIB - 2, 1], false],
  ["more than 1 MiB of large frames", [MIB / 2, MIB / 2, MIB / 2], true],
  ["64 small frames", Array(63).fill(1_000), false],
  ["more of them", Array(64).fill(1_000), true],
])("pauses a source or not while %s wait", async (_, sizes, paused) => {
  const { add, first, release, seen, settled } = held();
  add(1, first);
  for (const size of sizes) add(size);
  expect(seen.paused).toBe(paused);
  release();
  await settled();
  await Promise.resolve();
  expect(seen.paused).toBe(false);
});

it("resumes only when the excess is gone", async () => {
  const { add, first, release, seen, settled } = held();
  add(1, first);
  let gone: () => void = () => {};
  const second = new Promise<void>((resolve) => {
    gone = resolve;
  });
  add(2 * MIB);
  add(2 * MIB, second);
  expect(seen.times).toBe(2);
  release();
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen.paused).toBe(true);
  gone();
  await settled();
  await Promise.resolve();
  expect(seen.paused).toBe(false);
});

it("respects other limits", async () => {
  const { add, first, release, seen, settled } = held({ messages: Infinity, bytes: 4 * MIB });
  add(1, first);
  for (let n = 0; n < 1_000; n += 1) add(2_000);
  add(2 * MIB);
  expect(seen.paused).toBe(false);
  add(MIB);
  expect(seen.paused).toBe(true);
  release();
  await settled();
  await Promise.resolve();
  expect(seen.paused).toBe(false);
});
