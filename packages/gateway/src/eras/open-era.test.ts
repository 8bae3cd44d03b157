import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DISCOVER_MS, type EraProbe, openEra } from "./open-era.ts";

const MODERN = { era: "modern" };
const SESSION = { era: "legacy" };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Never resolves; rejects when the signal aborts. */
const pending = <T>(signal: AbortSignal): Promise<T> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
/** Resolves with a value after that many milliseconds. */
const after = <T>(ms: number, value: T) =>
  vi.fn<(signal: AbortSignal) => Promise<T>>(
    () => new Promise((resolve) => void setTimeout(resolve, ms, value)),
  );
const never = () => new AbortController().signal;

async function opened(opening: EraProbe<object>, signal = never()): Promise<object> {
  const era = openEra(opening, signal);
  era.catch(() => {});
  await vi.advanceTimersByTimeAsync(20_000);
  return era;
}

it("does not open a session if the server supports the latest revision", async () => {
  const initialize = after(0, SESSION);
  expect(await opened({ discover: after(DISCOVER_MS - 1, MODERN), initialize })).toBe(MODERN);
  expect(initialize).not.toHaveBeenCalled();
});

it("opens a session if the server never answers server/discover", async () => {
  let asked: AbortSignal | undefined;
  const discover = (signal: AbortSignal): Promise<object> => {
    asked = signal;
    return pending(signal);
  };
  expect(await opened({ discover, initialize: after(1, SESSION) })).toBe(SESSION);
  expect(asked?.aborted).toBe(true);
});

it.each([
  ["refuses initialize", () => Promise.reject(new Error("no such method"))],
  ["never answers it", pending<object>],
])("uses the latest revision with a server that starts slowly and %s", async (_, initialize) => {
  expect(await opened({ discover: after(9_000, MODERN), initialize })).toBe(MODERN);
});

it("waits for initialize if the late discover response is negative", async () => {
  const initialize = after(8_000, SESSION);
  expect(await opened({ discover: after(5_000, undefined), initialize })).toBe(SESSION);
});

it("waits for the discover response only as long as configured", async () => {
  const slow = { discover: after(1_000, MODERN), initialize: after(1, SESSION) };
  expect(await opened(slow)).toBe(MODERN);
  expect(await opened({ ...slow, patience: 500 })).toBe(SESSION);
});

it("reports why neither era could be opened", async () => {
  const refuses = () => Promise.reject(new Error("not today"));
  await expect(opened({ discover: after(0, undefined), initialize: refuses })).rejects.toThrow(
    "today",
  );
  await expect(opened({ discover: refuses, initialize: refuses })).rejects.toThrow("today");
  const over = new AbortController();
  const opening = openEra({ discover: pending, initialize: pending }, over.signal);
  await vi.advanceTimersByTimeAsync(DISCOVER_MS);
  over.abort(new Error("30 s are over"));
  await expect(opening).rejects.toThrow("30 s are over");
});
