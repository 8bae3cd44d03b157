import { expect, it, onTestFinished, vi } from "vitest";
import { readinessOf } from "./readiness.ts";

const states = { a: "running" } as const;

it.each([
  [true, false, "records cannot be kept"],
  [false, true, "ready"],
])(
  "is answered in time with a hanging store; refuses calls: %s",
  async (refuses, ready, status) => {
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
  },
);

it("leaves no timer if the store responds", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const records = { refuses: true, kept: async () => true, readable: true };
  const { ready } = await readinessOf({ records, stopping: false, states });
  expect([ready, vi.getTimerCount()]).toEqual([true, 0]);
});

it.each([
  [{ kept: true, readable: true }, {}, true, "ready", "kept"],
  [{ kept: false, readable: true }, {}, false, "records cannot be kept", "failing"],
  [{ kept: false, readable: true }, { refuses: false }, true, "ready", "failing"],
  [{ kept: true, readable: false }, {}, false, "records cannot be read", "unreadable"],
  [{ kept: true, readable: false }, { refuses: false }, true, "ready", "unreadable"],
  [{ kept: true, readable: true }, { stopping: true }, false, "stopping", "kept"],
] as const)("with %j and %j is %s", async (store, more, ready, status, records) => {
  const { refuses, stopping } = { refuses: true, stopping: false, ...more };
  const { kept, readable } = store;
  const told = await readinessOf({
    records: { refuses, readable, kept: async () => kept },
    stopping,
    states,
  });
  expect(told).toEqual({ ready, status, details: { records, servers: states } });
});
