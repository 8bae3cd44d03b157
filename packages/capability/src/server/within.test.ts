import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, vi } from "vitest";
import { within } from "./within.ts";

it("keeps nothing of a task that has ended, with a signal that lasts", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const lasting = new AbortController();
  const signals: WeakRef<AbortSignal>[] = [];
  for (let i = 0; i < 10; i += 1) {
    await within(60_000, lasting.signal, async (signal) => signals.push(new WeakRef(signal)));
  }
  await vi.waitFor(() => {
    gc();
    expect(signals.filter((signal) => signal.deref() !== undefined)).toEqual([]);
  }, 20_000);
  expect(lasting.signal.aborted).toBe(false);
});
