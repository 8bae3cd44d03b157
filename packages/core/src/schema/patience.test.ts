import { expect, test } from "vitest";
import { DeadlineError } from "./deadline.ts";
import { Patience } from "./patience.ts";

/** A deadline that goes by what each part of a task says it takes. */
function simulated() {
  const given: number[] = [];
  let left = 0;
  const takes = (milliseconds: number): void => {
    left -= milliseconds;
    if (left < 0) throw new DeadlineError(given.at(-1) ?? 0);
  };
  const within = <T>(milliseconds: number, task: () => T): T => {
    given.push(milliseconds);
    left = milliseconds;
    return task();
  };
  return { given, takes, within };
}

test("a late task is run once more with three times the time, as often as there is patience", () => {
  const { given, takes, within } = simulated();
  const patience = new Patience(within);
  const run = () =>
    patience.run(
      40,
      () => takes(50),
      () => {},
    );
  run();
  run();
  expect(run).toThrow(DeadlineError);
  expect(given).toEqual([40, 120, 40, 120, 40]);
});

test("patience comes back with checks that are in time, slowly", () => {
  const { given, takes, within } = simulated();
  const patience = new Patience(within);
  const run = (milliseconds: number) =>
    patience.run(
      40,
      () => takes(milliseconds),
      () => {},
    );
  run(50);
  run(50);
  for (let i = 0; i < 1_000; i += 1) run(1);
  given.length = 0;
  run(50);
  expect(() => run(50)).toThrow(DeadlineError);
  expect(given).toEqual([40, 120, 40]);
});

test("what comes afterwards is cut off where no time is left for it, and takes no patience", () => {
  const { given, takes, within } = simulated();
  const patience = new Patience(within);
  const told: string[] = [];
  const task = () => {
    takes(30);
    return "done";
  };
  const result = patience.run(40, task, () => {
    told.push("begun");
    takes(30);
    told.push("ended");
  });
  expect([result, told, given]).toEqual(["done", ["begun"], [40]]);
});

test("what a task throws is thrown, and it is not run again", () => {
  const { given, within } = simulated();
  const patience = new Patience(within);
  const task = (): void => {
    throw new RangeError("its own");
  };
  expect(() => patience.run(40, task, () => {})).toThrow(RangeError);
  expect(given).toEqual([40]);
});
