import { expect, it } from "vitest";
import { Progress } from "./progress.ts";

function shown(isTTY: boolean, times: readonly number[], env = {}): string {
  let text = "";
  let i = 0;
  const write = (piece: string): void => {
    text += piece;
  };
  const progress = new Progress({
    stderr: { write, isTTY } as never,
    env,
    now: () => new Date(times[i++] ?? 0),
  });
  for (let at = 1; at < times.length; at++) progress.at(() => `${at} documents`);
  progress.clear();
  progress.clear();
  return text;
}

it("shows progress on a terminal at intervals, and erases it at the end", () => {
  expect(shown(true, [0, 50, 250, 300, 460])).toBe(
    "\r\u001b[K2 documents\r\u001b[K4 documents\r\u001b[K",
  );
});

it("shows nothing for a quick task or in a pipe", () => {
  expect(shown(true, [0, 50, 100])).toBe("");
  expect(shown(false, [0, 500, 1000])).toBe("");
});

it("shows nothing on a terminal that cannot erase a line", () => {
  expect(shown(true, [0, 500, 1000], { TERM: "dumb" })).toBe("");
});
