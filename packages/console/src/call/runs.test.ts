import { describe, expect, it } from "vitest";
import { type Answer, ApiError } from "../api/client.ts";
import { Runs } from "./runs.ts";

const answer = (text: string): Answer => ({ status: 200, text, milliseconds: 1 });
const ends = (text: string) => () => Promise.resolve(answer(text));

/** A request that ends when it is told to. */
function pending() {
  let end: (text: string) => void = () => undefined;
  let isAborted = false;
  const ask = (signal: AbortSignal): Promise<Answer> =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => (isAborted = true));
      end = (text) => resolve(answer(text));
    });
  return { ask, end: (text: string) => end(text), isAborted: () => isAborted };
}

describe("Runs", () => {
  it("keeps what came for each tool, and tells of every change", async () => {
    const runs = new Runs();
    const told: string[] = [];
    const end = runs.subscribe(() => told.push(String(runs.get("a").isRunning)));
    expect(runs.get("a")).toBe(runs.get("b"));
    await runs.start("a", "call", "{}", ends("1"));
    await runs.start("b", "validate", "[]", ends("2"));
    expect(runs.get("a")).toMatchObject({ kind: "call", sent: "{}", answer: { text: "1" } });
    expect(runs.get("b")).toMatchObject({ kind: "validate", sent: "[]", answer: { text: "2" } });
    expect(told).toEqual(["true", "false", "false", "false"]);
    end();
    runs.stop("a");
    expect(runs.get("a")).toEqual({ kind: "idle", isRunning: false, sent: "" });
    expect(told.length).toBe(4);
  });

  it("ends what runs where another thing is asked, and takes no answer of it", async () => {
    const runs = new Runs();
    const first = pending();
    const started = runs.start("a", "call", "1", first.ask);
    expect(runs.get("a").isRunning).toBe(true);
    await runs.start("a", "call", "2", ends("second"));
    expect(first.isAborted()).toBe(true);
    first.end("first");
    await started;
    expect(runs.get("a")).toMatchObject({ sent: "2", answer: { text: "second" } });
  });

  it("says why there is no answer", async () => {
    const runs = new Runs();
    await runs.start("a", "call", "", () => Promise.reject(new ApiError("unreachable", "down")));
    expect(runs.get("a").error).toBe("down");
    await runs.start("a", "call", "", () => Promise.reject(new Error("x")));
    expect(runs.get("a").error).toBe("The request could not be made.");
  });

  it("forgets the oldest of many, and none that runs", async () => {
    const runs = new Runs();
    const slow = pending();
    void runs.start("slow", "call", "", slow.ask);
    for (let i = 0; i < 30; i++) await runs.start(`tool ${i}`, "call", "", ends("x"));
    expect(runs.get("slow").isRunning).toBe(true);
    expect(runs.get("tool 0").kind).toBe("idle");
    expect(runs.get("tool 29").kind).toBe("call");
  });
});
