import type { CheckLater } from "@touchstone/core";
import { describe, expect, it } from "vitest";
import {
  compileNarrow,
  forbiddenAtOnce,
  forbiddenBy,
  forbiddenLater,
  type Narrowing,
} from "./narrow.ts";

const LIMITS = { maxBytes: 5_242_880, maxDepth: 64 };
const schema = { properties: { a: { items: { pattern: "^(a|aa)+$" } } } };
const NARROW: Narrowing = {
  ...{ mode: "strict", tool: "t", secrets: [], advertise: false, schema },
  compiled: compileNarrow({ schema }),
};
const textOf = (a: readonly string[]): Buffer => Buffer.from(JSON.stringify({ a }));
/** Takes seconds to check. */
const COSTLY = textOf(Array.from({ length: 2_000 }, () => `${"a".repeat(500)}b`));

describe("arguments that are only validated", () => {
  it.each([
    [["aa"], []],
    [["b"], [{ path: "/a/0", rule: "policy", keyword: "narrow" }]],
  ])("%j are checked in the same way, whoever asks", async (a, issues) => {
    const never: CheckLater = () => Promise.reject(new Error("not later"));
    const all = [
      forbiddenBy(NARROW, textOf(a), LIMITS),
      forbiddenAtOnce(NARROW, textOf(a), LIMITS),
      await forbiddenLater(NARROW, textOf(a), LIMITS, never),
    ];
    for (const found of all) expect(found).toMatchObject(issues);
  });

  it("that take long are checked later, on a thread", async () => {
    const jobs: unknown[] = [];
    const later: CheckLater = async (job) => {
      jobs.push(job.compile?.dialect);
      return NARROW.compiled.check(textOf(["b"]), LIMITS);
    };
    expect(await forbiddenLater(NARROW, COSTLY, LIMITS, later)).toMatchObject([{ path: "/a/0" }]);
    expect(jobs).toEqual(["policy"]);
    const full: CheckLater = () => Promise.reject(new Error("full"));
    expect(await forbiddenLater(NARROW, COSTLY, LIMITS, full)).toMatchObject([
      { path: "", rule: "policy", message: expect.stringMatching(/try again later/) },
    ]);
  });

  it("that take long are not allowed by whoever cannot wait", () => {
    expect(forbiddenAtOnce(NARROW, COSTLY, LIMITS)).toMatchObject([
      { path: "", rule: "policy", message: expect.stringMatching(/takes too long/) },
    ]);
  });
});
