import { afterEach, describe, expect, it, vi } from "vitest";
import { json } from "./answers/respond.ts";
import { type ReportProgress, withProgress } from "./progress.ts";

const never = new AbortController().signal;
const RESULT = "{}";
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

/** Returns a call that reports progress and ends when the test says so. */
function call() {
  let resolve: (response: Response) => void = () => {};
  let reject: (cause: unknown) => void = () => {};
  const promise = new Promise<Response>((...both) => {
    [resolve, reject] = both;
  });
  let report: ReportProgress = () => {};
  let signal = never;
  const answered = withProgress(never, (given, reporting) => {
    signal = given;
    report = reporting;
    return promise;
  });
  const end = (): void => resolve(json(500, RESULT));
  return { answered, report, signal, end, reject };
}

describe("the progress of a call", () => {
  afterEach(() => vi.useRealTimers());

  it("keeps only the latest unread report", async () => {
    const { answered, report, end } = call();
    for (let progress = 0; progress < 10_000; progress += 1) report({ progress });
    end();
    const events = (await (await answered).text()).split("\n\n");
    expect(events.at(-3)).toBe('event: progress\ndata: {"progress":9999}');
    expect(events.at(-2)).toBe("event: result\ndata: {}");
    expect(events.length).toBeLessThan(5);
  });

  it("is not delayed by buffering proxies", async () => {
    const { answered, report, end } = call();
    report({ progress: 1 });
    expect(Object.fromEntries((await answered).headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    end();
  });

  it.each([
    undefined,
    null,
    "1",
    {},
    { progress: "1" },
    { progress: Number.NaN },
    { progress: Infinity },
  ])("ignores %j", async (given) => {
    const { answered, report, end } = call();
    report(given as never);
    end();
    expect((await answered).status).toBe(500);
  });

  it("drops unknown members, and cuts the message", async () => {
    const { answered, report, end } = call();
    report({ progress: 1, total: "2", message: "m".repeat(5_000), more: {} } as never);
    end();
    const [, data = ""] = /data: (.*)/.exec(await (await answered).text()) ?? [];
    expect(JSON.parse(data)).toEqual({ progress: 1, message: "m".repeat(1_000) });
  });

  it("ignores reports after the end", async () => {
    const { answered, report, end } = call();
    end();
    const response = await answered;
    report({ progress: 1 });
    expect([response.status, await response.text()]).toEqual([500, RESULT]);
  });

  it("sends a comment after 15 s of silence", async () => {
    vi.useFakeTimers();
    const { answered, report } = call();
    report({ progress: 1 });
    const reader = (await answered).body?.getReader();
    await reader?.read();
    const next = reader?.read();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(text((await next)?.value)).toBe(":\n\n");
    await reader?.cancel();
  });

  it("aborts the call when its reader leaves, even during silence", async () => {
    const { answered, report, signal, end } = call();
    report({ progress: 1 });
    const reader = (await answered).body?.getReader();
    await reader?.read();
    const next = reader?.read();
    await reader?.cancel();
    expect((await next)?.done).toBe(true);
    expect(signal.aborted).toBe(true);
    end();
  });

  it("breaks the stream off if the call throws", async () => {
    const { answered, report, reject } = call();
    report({ progress: 1 });
    reject(new Error("broken"));
    await expect(answered.then((response) => response.text())).rejects.toThrow("broken");
  });
});
