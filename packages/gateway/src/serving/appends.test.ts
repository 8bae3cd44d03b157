import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLogger } from "../log.ts";
import { Appends } from "./appends.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each(["append", "work"] as const)(
  "records are not kept while %s waits for a store that hangs",
  async (what) => {
    let resolve = (_: readonly []): void => {};
    const promise = new Promise<readonly []>((done) => {
      resolve = done;
    });
    const log = createLogger(() => {}, "silent");
    const appends = new Appends({ write: () => promise, refuses: () => true, log });
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
