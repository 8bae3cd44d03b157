import { expect, it, onTestFinished, vi } from "vitest";
import { ActivityError } from "../../../records/src/errors.ts";
import { createLogger } from "../../../util/src/log.ts";
import { StoreWatch, WATCH_MS } from "./store-watch.ts";

it("logs once that records cannot be read, and once that they can again", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  let fault: ActivityError | undefined;
  const log = createLogger((line) => lines.push(line.replace(/^.*touchstone /, "")), "info");
  const watch = new StoreWatch(() => fault, log);
  await vi.advanceTimersByTimeAsync(WATCH_MS);
  expect(watch.look()).toBe(true);
  expect(lines).toEqual([]);
  fault = new ActivityError("DATABASE_UNREADABLE", "It is gone.");
  for (let i = 0; i < 3; i += 1) await vi.advanceTimersByTimeAsync(WATCH_MS);
  expect(watch.look()).toBe(false);
  expect(lines).toEqual([expect.stringMatching(/^error: records cannot be read.*It is gone\./)]);
  fault = undefined;
  for (let i = 0; i < 3; i += 1) await vi.advanceTimersByTimeAsync(WATCH_MS);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^error: records can be read again/);
  watch.close();
  expect(vi.getTimerCount()).toBe(0);
});
