import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { timeoutSignal, untilAborted } from "./timeouts.ts";

describe("timeoutSignal", () => {
  it("aborts after the time, even if the garbage collector runs", async () => {
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as () => void;
    const outer = new AbortController();
    const over = untilAborted(timeoutSignal(50, outer.signal)).then(() => "over");
    // An object is not collected before the end of the job that made a weak reference to it.
    await wait(0);
    gc();
    expect(await Promise.race([over, wait(5_000, "never", { ref: false })])).toBe("over");
  });

  it("aborts with the other signal, and keeps its reason", async () => {
    const outer = new AbortController();
    const signal = timeoutSignal(60_000, outer.signal);
    expect(signal.aborted).toBe(false);
    outer.abort("left");
    expect(signal.reason).toBe("left");
    for (const late of [
      timeoutSignal(1, new AbortController().signal),
      timeoutSignal(1, undefined),
    ]) {
      await untilAborted(late);
      expect(late.reason).toMatchObject({ name: "TimeoutError" });
    }
  });
});
