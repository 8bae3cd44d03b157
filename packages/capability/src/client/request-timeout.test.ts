import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { requestWithTimeout } from "./request-timeout.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Sends a request that is answered when the test says so, and returns the signal that the request received. */
function asking(outer?: AbortSignal) {
  const seen: { signal?: AbortSignal; timeout?: number; answer?: (value: number) => void } = {};
  const asked = requestWithTimeout(50, outer, ({ signal, timeout }) => {
    Object.assign(seen, { signal, timeout });
    return new Promise<number>((resolve) => {
      seen.answer = resolve;
    });
  });
  return { seen, asked };
}

it("returns the response, and leaves no timer", async () => {
  const { seen, asked } = asking();
  expect(seen.timeout).toBe(1_050);
  seen.answer?.(7);
  expect(await asked).toEqual({ status: "answered", value: 7 });
  expect([seen.signal?.aborted, vi.getTimerCount()]).toEqual([false, 0]);
});

it("aborts a late request, and notifies the server", async () => {
  const { seen, asked } = asking();
  await vi.advanceTimersByTimeAsync(49);
  expect(seen.signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  const detail = "the server did not respond within 50 ms";
  expect(await asked).toEqual({ status: "timeout", detail });
  expect([seen.signal?.aborted, seen.signal?.reason]).toEqual([true, detail]);
});

it("aborts a request that the caller cancels, even before it is sent", async () => {
  const cancelled = { status: "failed", detail: "canceled by the caller" };
  const caller = new AbortController();
  const { seen, asked } = asking(caller.signal);
  caller.abort();
  expect(await asked).toEqual(cancelled);
  expect([seen.signal?.aborted, vi.getTimerCount()]).toEqual([true, 0]);
  const never = asking(caller.signal);
  expect(await never.asked).toEqual(cancelled);
  expect([never.seen.signal, vi.getTimerCount()]).toEqual([undefined, 0]);
});

it.each([
  ["rejects", () => Promise.reject(new Error("gone"))],
  [
    "throws",
    () => {
      throw new Error("gone");
    },
  ],
])("never rejects if the request %s", async (_, send) => {
  expect(await requestWithTimeout(50, undefined, send)).toEqual({
    status: "failed",
    detail: "gone",
  });
  expect(vi.getTimerCount()).toBe(0);
});
