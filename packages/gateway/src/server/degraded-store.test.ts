import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ActivityRecord } from "../../../records/src/record.ts";
import { createLogger } from "../../../util/src/log.ts";
import { DegradedStore } from "./degraded-store.ts";

type Written = readonly ActivityRecord[];

function goingOn() {
  const lines: string[] = [];
  const log = createLogger((line) => lines.push(line), "info");
  return { lines, subject: new DegradedStore(log) };
}
const write = () => {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<Written>((_, fail) => {
    reject = fail;
  });
  return { append: () => promise, reject: (error: Error) => reject(error) };
};
const fails = (): Promise<Written> => Promise.reject(new Error("no room"));

describe("appends with on_write_failure: continue", () => {
  it("return the written records", async () => {
    const { subject, lines } = goingOn();
    const records = [{}] as unknown as Written;
    expect(await subject.append(1, () => Promise.resolve(records))).toBe(records);
    expect(await subject.work(() => Promise.resolve("kept"))).toBe("kept");
    subject.close();
    expect(lines).toEqual([]);
  });

  it("release everyone who waits once one has failed", async () => {
    const { subject } = goingOn();
    const hanging = write();
    const first = subject.append(1, hanging.append);
    const work = subject.work(() => new Promise(() => {}));
    expect(await subject.append(1, fails)).toEqual([]);
    expect(await first).toEqual([]);
    await expect(work).rejects.toThrow("fails");
    await expect(subject.work(() => Promise.resolve(1))).rejects.toThrow("fails");
  });

  it("do not wait long for a hanging store", async () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { subject, lines } = goingOn();
    const hanging = write();
    const slow = subject.append(2, hanging.append);
    const work = subject.work(() => new Promise(() => {}));
    const refused = expect(work).rejects.toThrow("does not respond");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await slow).toEqual([]);
    await refused;
    // The record may still be kept.
    expect(lines).toEqual([]);
    const records = [{}] as unknown as Written;
    expect(await subject.append(1, () => Promise.resolve(records))).toBe(records);
    hanging.reject(new Error("no answer"));
    await vi.advanceTimersByTimeAsync(0);
    expect(lines).toEqual([
      expect.stringMatching(/records are lost.* records=2 reason="no answer"/),
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("retry one at a time, and do not wait for a hanging attempt", async () => {
    const { subject, lines } = goingOn();
    await subject.append(1, fails);
    const hanging = write();
    let tried = 0;
    const attempt = (): Promise<Written> => {
      tried += 1;
      return hanging.append();
    };
    for (let n = 0; n < 3; n += 1) expect(await subject.append(2, attempt)).toEqual([]);
    expect(tried).toBe(1);
    hanging.reject(new Error("no answer"));
    await expect
      .poll(async () => {
        await subject.append(0, attempt);
        return tried;
      })
      .toBeGreaterThan(1);
    subject.over();
    expect(lines).toEqual([
      expect.stringMatching(/^touchstone error: records are lost.* records=1 reason="no room"/),
      expect.stringMatching(/^touchstone error: records are kept again lost=7\n?$/),
    ]);
    expect(await subject.append(1, () => Promise.resolve([]))).toEqual([]);
    subject.over();
    expect(lines).toHaveLength(2);
    await subject.append(4, fails);
    subject.over();
    expect(lines.at(-1)).toMatch(/records are kept again lost=4\n?$/);
  });

  it("log once that records are lost, however many fail at once", async () => {
    const { subject, lines } = goingOn();
    await Promise.all([subject.append(1, fails), subject.append(2, fails)]);
    subject.over();
    expect(lines).toEqual([
      expect.stringMatching(/records are lost/),
      expect.stringMatching(/records are kept again lost=3\n?$/),
    ]);
  });

  it("log the number of lost records on close", async () => {
    const { subject, lines } = goingOn();
    await subject.append(3, fails);
    subject.close();
    expect(lines.at(-1)).toContain("records could not be written lost=3");
  });
});
