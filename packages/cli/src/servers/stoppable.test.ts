import { EventEmitter } from "node:events";
import { afterEach, expect, it, vi } from "vitest";
import { stoppable } from "./stoppable.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("gives what its task gives, and leaves the signals to others then", async () => {
  const signals = new EventEmitter();
  expect(await stoppable(signals, async () => 1)).toBe(1);
  expect(signals.eventNames()).toEqual([]);
});

it("ends with the signal, whatever its task does", async () => {
  const signals = new EventEmitter();
  const stopped = stoppable(signals, async (stop) => {
    signals.emit("SIGTERM");
    return stop.aborted;
  });
  await expect(stopped).rejects.toMatchObject({ code: 143, message: "stopped by SIGTERM" });
});

it("does not wait for ever for a task that cannot end, as of a server that nobody may kill", async () => {
  vi.useFakeTimers();
  const signals = new EventEmitter();
  const stopped = stoppable(signals, () => new Promise<never>(() => {}));
  const ended = expect(stopped).rejects.toMatchObject({ code: 130, message: "stopped by SIGINT" });
  signals.emit("SIGINT");
  await vi.advanceTimersByTimeAsync(5_000);
  await ended;
});
