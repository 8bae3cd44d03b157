import { expect, it } from "vitest";
import { createLogger } from "./log.ts";
import { PacedLog } from "./paced-log.ts";

it("writes a limited number of lines per window, and reports how many it left out", () => {
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

it("writes a repeated line once per window, and reports how often it came", () => {
  const lines: string[] = [];
  const ends: (() => void)[] = [];
  const log = createLogger((line) => lines.push(line.trimEnd()), "warn");
  const paced = new PacedLog(log, { later: (end) => ends.push(end) });
  for (const text of ["a/x: 1", "a/y: 2", "a/x: 1", "a/x: 1", "a/x: 3"]) paced.warnOnce("a", text);
  expect(lines.splice(0)).toEqual(
    ["a/x: 1", "a/y: 2", "a/x: 3"].map((t) => `touchstone warn: ${t}`),
  );
  for (const end of ends.splice(0)) end();
  expect(lines.splice(0)).toEqual(["touchstone warn: a/x: 1 (2 more times within a minute)"]);
  paced.warnOnce("a", "a/x: 1");
  expect(lines).toEqual(["touchstone warn: a/x: 1"]);
});

it("tracks a limited number of different lines, and limits the others together", () => {
  const lines: string[] = [];
  const paced = new PacedLog(
    createLogger((line) => lines.push(line), "warn"),
    { later: () => {} },
  );
  for (let n = 0; n < 1_000; n += 1) paced.warnOnce("a", `line ${n}`);
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toContain("a: more such lines are left out");
});
