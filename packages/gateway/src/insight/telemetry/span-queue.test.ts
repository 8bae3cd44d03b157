import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NameLimit } from "./labels.ts";
import { readOperation } from "./sides.ts";
import { SpanQueue } from "./span-queue.ts";
import type { ServerPlace } from "./telemetry.ts";

const PLACE: ServerPlace = { name: "srv", client: "pipe", upstream: { transport: "pipe" } };
const OPERATION = readOperation(
  { server: "srv", from: "client", method: "ping", known: false, began: 1, ended: 2, ending: {} },
  PLACE,
  new NameLimit(),
);

/** A queue whose sends end when they are told to. */
function queue(maxQueueSize: number, maxExportBatchSize: number) {
  const sent: { count: number; end: (error?: Error) => void }[] = [];
  const warnings: string[] = [];
  const made = new SpanQueue({
    settings: { maxQueueSize, maxExportBatchSize, scheduleDelay: 100 },
    send: (spans, count) =>
      new Promise((resolve, reject) => {
        expect(spans.length).toBeGreaterThan(count * 50);
        sent.push({ count, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    warn: (message) => warnings.push(message),
  });
  const add = (times: number): void => {
    for (let i = 0; i < times; i += 1) made.add(1, OPERATION, PLACE, 0, undefined);
  };
  const counts = (): number[] => sent.map(({ count }) => count);
  return { made, add, sent, counts, warnings };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("sends full batches, one after the other", async () => {
  const { add, sent, counts } = queue(100, 4);
  add(10);
  expect(counts()).toEqual([4]);
  sent[0]?.end();
  await settled();
  expect(counts()).toEqual([4, 4]);
});

it("drops what is over its size, and tells how much once there is room", async () => {
  const { add, sent, counts, warnings } = queue(8, 4);
  add(4);
  // These wait: what is being sent does not.
  add(8);
  add(3);
  expect(warnings).toEqual([]);
  sent[0]?.end();
  await settled();
  add(1);
  expect(warnings).toEqual(["Dropped 3 spans because maxQueueSize reached"]);
  expect(counts()).toEqual([4, 4]);
});

it("tells of what could not be sent, and goes on", async () => {
  const { add, sent, counts, warnings } = queue(100, 4);
  add(8);
  sent[0]?.end(new Error("no collector"));
  await settled();
  expect(warnings).toEqual(["spans could not be sent: Error: no collector"]);
  expect(counts()).toEqual([4, 4]);
});

it("sends all that is left at its end", async () => {
  const { made, add, sent, counts } = queue(100, 4);
  add(10);
  const closed = made.close();
  expect(counts()).toEqual([4, 4, 2]);
  for (const { end } of sent) end();
  await closed;
});

describe("a batch that is not full", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("is sent after a while", async () => {
    const { add, counts } = queue(100, 4);
    add(3);
    await vi.advanceTimersByTimeAsync(99);
    expect(counts()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(counts()).toEqual([3]);
  });
});
