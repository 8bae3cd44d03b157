import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ActivityEntry, ActivityRecord } from "../../../records/src/record.ts";
import { createLogger } from "../../../util/src/log.ts";
import { RecordAppender } from "./appends.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each(["append", "work"] as const)(
  "reports records as not stored while %s waits for a hanging store",
  async (what) => {
    let resolve = (_: readonly []): void => {};
    const promise = new Promise<readonly []>((done) => {
      resolve = done;
    });
    const log = createLogger(() => {}, "silent");
    const appends = new RecordAppender({ write: () => promise, refuses: () => true, log });
    const done = what === "append" ? appends.append([]) : appends.work(() => promise);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(await appends.kept()).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(await appends.kept()).toBe(false);
    resolve([]);
    await done;
    expect(await appends.kept()).toBe(true);
  },
);

describe("a store that fails for a while", () => {
  const CALL = { type: "tool_call", source: "gateway" } as const;

  /** A store that does one write at a time, and waits until the test settles it. */
  function failing() {
    const writes: { reasons: (string | undefined)[]; end: (fails?: boolean) => void }[] = [];
    const write = (entries: readonly ActivityEntry[]) =>
      new Promise<readonly ActivityRecord[]>((resolve, reject) => {
        const reasons = entries.map(({ reason }) => reason);
        const kept = entries.map((entry) => ({ ...entry }) as unknown as ActivityRecord);
        const end = (fails = false): void => (fails ? reject(new Error("full")) : resolve(kept));
        writes.push({ reasons, end });
      });
    const log = createLogger(() => {}, "silent");
    return { writes, appends: new RecordAppender({ write, refuses: () => true, log }) };
  }

  it("has the failure recorded once, before the next records", async () => {
    const { writes, appends } = failing();
    const lost = appends.append([CALL]);
    expect(writes[0]?.reasons).toEqual([undefined]);
    writes[0]?.end(true);
    await expect(lost).rejects.toThrow("full");
    const since = appends.failingSince?.toISOString();
    expect(since).toBeDefined();
    const [first, second] = [appends.append([CALL]), appends.append([CALL])];
    const gap = `records could not be kept from ${since} on; now they are again`;
    expect(writes.slice(1).map(({ reasons }) => reasons)).toEqual([[gap, undefined], [undefined]]);
    for (const { end } of writes) end();
    expect((await Promise.all([first, second])).map((records) => records.length)).toEqual([1, 1]);
    expect(appends.failingSince).toBeUndefined();
    void appends.append([CALL]);
    expect(writes.at(-1)?.reasons).toEqual([undefined]);
  });

  it("is retried by each request, one at a time, until it works again", async () => {
    const { writes, appends } = failing();
    const lost = appends.append([CALL]);
    writes[0]?.end(true);
    await expect(lost).rejects.toThrow("full");
    const asked = [appends.kept(), appends.kept()];
    expect(writes).toHaveLength(2);
    writes[1]?.end(true);
    expect(await Promise.all(asked)).toEqual([false, false]);
    const again = appends.kept();
    expect(writes[2]?.reasons).toHaveLength(1);
    writes[2]?.end();
    expect(await again).toBe(true);
    expect(await appends.kept()).toBe(true);
    expect(writes).toHaveLength(3);
  });
});
