import type { Dialect } from "../keywords/dialect.ts";
import type { SuiteGroup, SuitePart } from "./suite.ts";

/** The verdict of a judge on a value; `not taken` if it leaves the schema to another engine. */
export type SuiteOutcome = boolean | "uncompilable" | "budget" | "not taken";

/** An engine under test: compiles a schema once, to a function that checks the text of a value. */
export type ConformanceJudge = (
  schema: string,
  documents: ReadonlyMap<string, string>,
  dialect: Dialect,
  formats: boolean,
) => (value: string) => SuiteOutcome;

/** A test whose verdict differs from the suite's. */
export interface Failure {
  readonly dialect: Dialect;
  readonly part: SuitePart;
  /** `file: group: test` */
  readonly name: string;
  readonly expected: boolean;
  readonly verdict: SuiteOutcome;
}

export interface Tally {
  readonly dialect: Dialect;
  readonly part: SuitePart;
  passed: number;
  failed: number;
  notTaken: number;
}

export interface Conformance {
  readonly tallies: readonly Tally[];
  readonly failures: readonly Failure[];
}

/** Runs the suite; formats are asserted in the format tests only. */
export function runSuite(
  groups: readonly SuiteGroup[],
  documents: ReadonlyMap<string, string>,
  judge: ConformanceJudge,
): Conformance {
  const tallies = new Map<string, Tally>();
  const failures: Failure[] = [];
  for (const { dialect, part, file, description, schema, tests } of groups) {
    const key = `${dialect} ${part}`;
    const tally = tallies.get(key) ?? { dialect, part, passed: 0, failed: 0, notTaken: 0 };
    tallies.set(key, tally);
    const run = judge(schema, documents, dialect, part === "format");
    for (const { description: test, data, valid } of tests) {
      const verdict = run(data);
      if (verdict === valid) tally.passed++;
      else if (verdict === "not taken") tally.notTaken++;
      else {
        tally.failed++;
        const name = `${file}: ${description}: ${test}`;
        failures.push({ dialect, part, name, expected: valid, verdict });
      }
    }
  }
  return { tallies: [...tallies.values()], failures };
}

/** The sums of one part of the suite over all dialects. */
export function totalOf({ tallies }: Conformance, part: SuitePart): Omit<Tally, "dialect"> {
  const sum = { part, passed: 0, failed: 0, notTaken: 0 };
  for (const tally of tallies) {
    if (tally.part !== part) continue;
    sum.passed += tally.passed;
    sum.failed += tally.failed;
    sum.notTaken += tally.notTaken;
  }
  return sum;
}

/** A table row: engine, each part as `passed/all`, required failures by dialect. */
export function rowOf(engine: string, conformance: Conformance): string {
  const parts = (["required", "optional", "format"] as const).map((part) => {
    const { passed, failed, notTaken } = totalOf(conformance, part);
    const left = notTaken === 0 ? "" : ` (${notTaken} not taken)`;
    return `${passed}/${passed + failed + notTaken}${left}`;
  });
  const fails = conformance.tallies
    .filter(({ part }) => part === "required")
    .map(({ failed }) => failed)
    .join("/");
  return `| ${[engine, parts[0], fails, parts[1], parts[2]].join(" | ")} |`;
}

export const TABLE_HEAD =
  "| engine | required | fails d4/d6/d7/2019/2020 | optional | formats (asserted) |\n|-|-|-|-|-|";

/** Returns one line for a failure, with the expected verdict and the actual one. */
export function lineOf({ dialect, part, name, expected, verdict }: Failure): string {
  const wanted = expected ? "valid" : "invalid";
  const got = typeof verdict === "string" ? verdict : verdict ? "valid" : "invalid";
  return `${dialect} ${part} | ${name} | expected ${wanted}, got ${got}`;
}
