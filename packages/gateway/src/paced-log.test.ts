import { expect, it } from "vitest";
import { createLogger } from "./log.ts";
import { PacedLog } from "./paced-log.ts";

it("writes so many lines of a kind in a window, and tells how many it left out", () => {
  const lines: string[] = [];
  const ends: (() => void)[] = [];
  const log = createLogger((line) => lines.push(line.trimEnd()), "warn");
  const paced = new PacedLog(log, { most: 2, later: (end) => ends.push(end) });
  for (let n = 1; n <= 5; n += 1) paced.warn("a: noise", `noise ${n}`, { bytes: n });
  paced.error("a: requests", "a request");
  expect(lines.splice(0)).toEqual([
    "touchstone warn: noise 1 bytes=1",
    "touchstone warn: noise 2 bytes=2",
    "touchstone warn: a: noise: more such lines are left out of the log, for a minute at most",
    "touchstone error: a request",
  ]);
  expect(ends).toHaveLength(2);
  for (const end of ends.splice(0)) end();
  expect(lines.splice(0)).toEqual([
    "touchstone warn: a: noise: such lines were left out of the log left=3",
  ]);
  paced.warn("a: noise", "noise again");
  expect(lines).toEqual(["touchstone warn: noise again"]);
  expect(ends).toHaveLength(1);
});
