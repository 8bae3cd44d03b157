import { expect, it } from "vitest";
import { collected } from "./testing/collected.ts";
import { withTimeLimit } from "./time-limit.ts";

it("releases a finished task's signal, even if the outer signal lives on", async () => {
  const lasting = new AbortController();
  const signals: WeakRef<AbortSignal>[] = [];
  for (let i = 0; i < 10; i += 1) {
    await withTimeLimit(60_000, lasting.signal, async (signal) =>
      signals.push(new WeakRef(signal)),
    );
  }
  await collected(signals);
  expect(lasting.signal.aborted).toBe(false);
});
