import { describe, expect, it } from "vitest";
import { ApiError, type ApiResponse } from "../api/client.ts";
import { Runs } from "./runs.ts";

const answer = (text: string): ApiResponse => ({ status: 200, text, milliseconds: 1 });
const ends = (text: string) => () => Promise.resolve(answer(text));

/** A request that ends when the test ends it. */
function pending() {
  let end: (text: string) => void = () => undefined;
  let isAborted = false;
  const ask = (signal: AbortSignal): Promise<ApiResponse> =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => (isAborted = true));
      end = (text) => resolve(answer(text));
    });
  return {
    ask,
    end: (text: string) => end(text),
    isAborted: () => isAborted,
  };
}

describe("Runs", () => {
  it("keeps the runs of each tool, newest first, and reports every change", async () => {
    const runs = new Runs(() => 5);
    const told: (boolean | undefined)[] = [];
    const end = runs.subscribe(() => told.push(runs.of("a")[0]?.isRunning));
    expect(runs.of("a")).toBe(runs.of("b"));
    await runs.start("a", "call", "{}", ends("1"));
    await runs.start("a", "validate", "[]", ends("2"));
    await runs.start("b", "call", "3", ends("3"));
    expect(runs.of("a")).toMatchObject([
      { kind: "validate", sent: "[]", at: 5, answer: { text: "2" } },
      { kind: "call", sent: "{}", at: 5, answer: { text: "1" } },
    ]);
    expect(runs.of("b")).toMatchObject([{ sent: "3" }]);
    expect(told).toEqual([true, false, true, false, false, false]);
    end();
    runs.clear("a");
    expect(runs.of("a")).toEqual([]);
    expect(told.length).toBe(6);
  });

  it("aborts a running call when another starts, and ignores its response", async () => {
    const runs = new Runs();
    const first = pending();
    const started = runs.start("a", "call", "1", first.ask);
    expect(runs.of("a")).toMatchObject([{ isRunning: true }]);
    await runs.start("a", "call", "2", ends("second"));
    expect(first.isAborted()).toBe(true);
    first.end("first");
    await started;
    expect(runs.of("a")).toMatchObject([
      { sent: "2", answer: { text: "second" } },
      { sent: "1", isRunning: false, error: expect.stringMatching(/^Canceled\./) },
    ]);
  });

  it("reports why there is no response", async () => {
    const runs = new Runs();
    await runs.start("a", "call", "", () => Promise.reject(new ApiError("unreachable", "down")));
    expect(runs.of("a")[0]?.error).toBe("down");
    await runs.start("a", "call", "", () => Promise.reject(new Error("x")));
    expect(runs.of("a")[0]?.error).toBe("The request could not be made.");
  });

  it("drops the oldest calls over a number and size, but never a running one", async () => {
    const runs = new Runs();
    void runs.start("slow", "call", "", pending().ask);
    for (let i = 0; i < 30; i++) await runs.start("tool", "call", String(i), ends("x"));
    expect(runs.of("tool").map(({ sent }) => sent)).toEqual(
      Array.from({ length: 20 }, (_, i) => String(29 - i)),
    );
    const large = "x".repeat(8_000_000);
    for (const name of ["a", "b", "c"]) await runs.start(name, "call", "", ends(large));
    expect(["slow", "tool", "a", "b", "c"].map((name) => runs.of(name).length)).toEqual([
      1, 0, 0, 1, 1,
    ]);
    await runs.start("huge", "call", "", ends(large.repeat(4)));
    expect(["slow", "c", "huge"].map((name) => runs.of(name).length)).toEqual([1, 0, 1]);
  });
});
