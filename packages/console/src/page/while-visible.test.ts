import { describe, expect, it, onTestFinished, vi } from "vitest";
import { whileVisible } from "./while-visible.ts";

/** A page that can be hidden. */
class Page extends EventTarget {
  hidden = false;

  show(isShown: boolean): void {
    this.hidden = !isShown;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

function onPage() {
  const page = new Page();
  vi.stubGlobal("document", page);
  onTestFinished(() => void vi.unstubAllGlobals());
  const stop = new AbortController();
  const paused: (() => void)[] = [];
  const pauses: number[] = [];
  let done = 0;
  const over = whileVisible(
    7,
    (milliseconds) => {
      pauses.push(milliseconds);
      return new Promise((resolve) => paused.push(resolve));
    },
    async () => {
      done += 1;
      return done < 4;
    },
    stop.signal,
  );
  /** Ends the pause, and lets everything happen that then can. */
  const pass = async (): Promise<number> => {
    paused.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    return done;
  };
  return { page, stop, over, pass, pauses, done: () => done };
}

describe("what is done while a page can be seen", () => {
  it("is done behind each pause, until it says that it is enough", async () => {
    const { over, pass, pauses, done } = onPage();
    expect(await pass()).toBe(1);
    expect(await pass()).toBe(2);
    expect(await pass()).toBe(3);
    expect(await pass()).toBe(4);
    await over;
    expect([done(), pauses]).toEqual([4, [7, 7, 7, 7]]);
  });

  it("is not done while nobody can see it, and once when somebody can", async () => {
    const { page, pass, pauses } = onPage();
    page.show(false);
    expect(await pass()).toBe(0);
    expect(await pass()).toBe(0);
    page.show(true);
    expect(await pass()).toBe(1);
    expect(pauses).toHaveLength(2);
    page.show(false);
    page.show(true);
    expect(await pass()).toBe(2);
  });

  it.each(["hidden", "shown"])("ends where it is no longer wanted, %s", async (state) => {
    const { page, stop, over, pass } = onPage();
    page.show(state === "shown");
    stop.abort();
    expect(await pass()).toBe(0);
    await over;
  });
});
