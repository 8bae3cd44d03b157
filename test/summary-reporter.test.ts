import { expect, it, vi } from "vitest";
import type { TestModule } from "vitest/node";
import { eachOf, long, sample } from "../packages/core/src/testing/sample.ts";
import { SummaryReporter } from "./summary-reporter.ts";

const test = (state: string, meta: object = {}, duration = 1) => ({
  fullName: "a test",
  result: () => ({ state }),
  meta: () => meta,
  diagnostic: () => ({ duration }),
});
const moduleOf = (tests: readonly object[]): TestModule =>
  ({
    relativeModuleId: "a.test.ts",
    errors: () => [],
    children: { allTests: () => tests },
  }) as unknown as TestModule;

function summaryOf(...tests: readonly object[]): readonly unknown[] {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    new SummaryReporter().onTestRunEnd([moduleOf(tests)], []);
    return log.mock.calls.map(([line]) => line);
  } finally {
    log.mockRestore();
  }
}

it("counts skipped tests that are left to a longer run", () => {
  const left = { leftTo: ".ci/run" };
  expect(
    summaryOf(
      test("passed"),
      test("failed"),
      test("skipped"),
      test("skipped", left),
      test("skipped", left),
      // What ran is not left.
      test("passed", left),
    ),
  ).toEqual(["left to .ci/run: 2 (counted as skipped)", "2 passed, 1 failed, 3 skipped"]);
});

it("lists tests over a second, and no line about what is left if nothing is", () => {
  expect(summaryOf(test("passed", {}, 1_500), test("passed", {}, 900))).toEqual([
    "1 tests over 1 s, 2 s in all:",
    "1.5 s  a.test.ts > a test",
    "2 passed, 0 failed, 0 skipped",
  ]);
});

const ran: unknown[] = [];
eachOf(["a", "b", "c"], 2)("a case of a long table runs: %s", (each, ...rest) => {
  ran.push([each, rest.length]);
});
eachOf([["d", 1] as const], ([name]) => name === "d")("a row is spread: %s", (name, number) => {
  ran.push([name, number]);
});

it("a long table runs in part in npm test, and whole in CI", () => {
  expect(ran.map((row) => (row as unknown[])[0])).toEqual(
    sample(["a", "b", "d"], ["a", "b", "c", "d"]),
  );
  expect(ran.at(-1)).toEqual(["d", 1]);
  expect(long).toEqual(sample({ skip: true, meta: { leftTo: ".ci/run" } }, {}));
});
