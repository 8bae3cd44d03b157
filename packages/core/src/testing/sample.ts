import { describe, it, type TestOptions } from "vitest";

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
    /** The kind of run that runs a test that is skipped here. The summary of a run counts these tests. */
    leftTo?: string;
  }
}

/**
 * Options of a test, or of a suite, that takes long: `npm test` skips it, and its summary counts it as left to
 * `.ci/run`.
 */
export const long: TestOptions = sample({ skip: true, meta: { leftTo: ".ci/run" } }, {});

/** How many of the first cases `npm test` runs, or which. */
type Some<T> = number | ((each: T, index: number) => boolean);

/**
 * Splits a table whose cases take long into those that `npm test` runs and those that are {@link long}. Returns each
 * with the options of its tests.
 */
export function split<T>(
  cases: readonly T[],
  some: Some<T>,
): readonly (readonly [cases: readonly T[], options: TestOptions])[] {
  const runs = typeof some === "number" ? (_each: T, index: number) => index < some : some;
  const isLeft = (each: T, index: number): boolean => !runs(each, index);
  return [
    [cases.filter(runs), {}],
    [cases.filter(isLeft), long],
  ];
}

type Run<Args extends readonly unknown[]> = (...each: Args) => Promise<void> | void;
type Each<Args extends readonly unknown[]> = (
  name: string,
  test: Run<Args>,
  timeout?: number,
) => void;

/** `it.each` of a table that {@link split} splits. */
export function eachOf<T extends readonly [unknown, ...unknown[]]>(
  cases: readonly T[],
  some: Some<T>,
): Each<[...T]>;
export function eachOf<T>(cases: readonly T[], some: Some<T>): Each<[T]>;
export function eachOf(cases: readonly unknown[], some: Some<unknown>): Each<unknown[]> {
  return (name, test, timeout) => {
    const limit = timeout === undefined ? {} : { timeout };
    for (const [part, options] of split(cases, some)) {
      it.each(part)(name, { ...limit, ...options }, test);
    }
  };
}

/** `describe.each` of a table of objects that {@link split} splits. */
export function describeOf<T extends object>(
  cases: readonly T[],
  some: Some<T>,
): (name: string, suite: (each: T) => void) => void {
  return (name, suite) => {
    for (const [part, options] of split(cases, some)) describe.each(part)(name, options, suite);
  };
}
