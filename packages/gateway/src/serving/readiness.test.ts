import { expect, it, onTestFinished, vi } from "vitest";
import { readinessOf } from "./readiness.ts";

const states = { a: "running" } as const;

it.each([
  [true, false, "records cannot be kept"],
  [false, true, "ready"],
])("is told in time where the store hangs; refuses: %s", async (refuses, ready, status) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const records = {
    refuses,
    kept: () => new Promise<boolean>(() => {}),
    readable: true,
  };
  const told = readinessOf({ records, stopping: false, states });
  await vi.advanceTimersByTimeAsync(500);
  expect(await told).toEqual({ ready, status, details: { records: "failing", servers: states } });
  expect(vi.getTimerCount()).toBe(0);
});

it("leaves no timer where the store answers", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const records = { refuses: true, kept: async () => true, readable: true };
  const { ready } = await readinessOf({ records, stopping: false, states });
  expect([ready, vi.getTimerCount()]).toEqual([true, 0]);
});
