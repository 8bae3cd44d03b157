import { it, type TestOptions } from "vitest";

const SIZES = ["some", "more", "all"] as const;

const size = SIZES.find((name) => name === (process.env["TOUCHSTONE_SAMPLE"] ?? "some"));

/**
 * Picks how much of a long suite a run takes: `some` in `npm test`, `more` in `.ci/run`, which sets
 * `TOUCHSTONE_SAMPLE=more`, and `all` in `npm run full:tests`.
 * @throws if the variable has another value
 */
export function sample<T>(some: T, more: T, all: T = more): T {
  if (size === undefined) throw new Error(`TOUCHSTONE_SAMPLE is one of ${SIZES.join(", ")}`);
  return { some, more, all }[size];
}

declare module "vitest" {
  interface TaskMeta {
    /** The run that a skipped test is left to. The summary of a run counts these. */
    leftTo?: string;
  }
}

/**
 * Options of a test, or of a suite, that takes long: `npm test` skips it, and its summary counts it as left to
 * `.ci/run`.
 */
export const long: TestOptions = sample({ skip: true, meta: { leftTo: ".ci/run" } }, {});

type Test<T> = [T] extends [readonly unknown[]]
  ? (...each: T) => Promise<void> | void
  : (each: T) => Promise<void> | void;

/**
 * `it.each` of a table whose cases take long: `npm test` runs some of them, and the others are {@link long}.
 * @param some how many of the first cases `npm test` runs, or which
 */
export function eachOf<T>(
  cases: readonly T[],
  some: number | ((each: T, index: number) => boolean),
): (name: string, test: Test<T>, timeout?: number) => void {
  const runs = typeof some === "number" ? (_each: T, index: number) => index < some : some;
  const left = cases.filter((each, index) => !runs(each, index));
  return (name, test, timeout) => {
    const options: TestOptions = timeout === undefined ? {} : { timeout };
    it.each(cases.filter(runs) as unknown[])(name, options, test as Test<unknown>);
    it.each(left as unknown[])(name, { ...options, ...long }, test as Test<unknown>);
  };
}
