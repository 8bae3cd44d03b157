import { EventEmitter } from "node:events";
import { afterEach, expect, it, vi } from "vitest";
import { runStoppable } from "./stoppable.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("returns the result of its task, and removes its signal handlers", async () => {
  const signals = new EventEmitter();
  expect(await runStoppable(signals, async () => 1)).toBe(1);
  expect(signals.eventNames()).toEqual([]);
});

it('throws "stopped" on a signal, even if the task completes', async () => {
  const signals = new EventEmitter();
  const stopped = runStoppable(signals, async (stop) => {
    signals.emit("SIGTERM");
    return stop.aborted;
  });
  await expect(stopped).rejects.toMatchObject({ code: 143, message: "stopped by SIGTERM" });
});

it("gives up after a while on a task that does not stop", async () => {
  vi.useFakeTimers();
  const signals = new EventEmitter();
  const stopped = runStoppable(signals, () => new Promise<never>(() => {}));
  const ended = expect(stopped).rejects.toMatchObject({ code: 130, message: "stopped by SIGINT" });
  signals.emit("SIGINT");
  await vi.advanceTimersByTimeAsync(5_000);
  await ended;
});
