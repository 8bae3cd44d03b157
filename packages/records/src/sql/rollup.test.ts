import { spawn } from "node:child_process";
import { once } from "node:events";
import fc from "fast-check";
import Database from "libsql";
import { expect, it, onTestFinished } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import type { ActivityScope } from "../filter.ts";
import { overviewBuckets } from "../overview.ts";
import { ACTIVITY_STATUSES, type ActivityEntry, type ActivityRecord } from "../record.ts";
import type { ActivitySummary } from "../response-schemas.ts";
import { isInScope } from "../scope.ts";
import type { ActivityReader } from "../store.ts";
import { CALL } from "../testing/fixtures.ts";
import { closing, type StoreUnderTest, usePlaces } from "../testing/places.ts";
import { verifyActivity } from "../verify/verify.ts";
import { addDurations, DURATION, type Durations, percentilesOf } from "./durations.ts";

const HOUR_MS = 3_600_000;
const RUNS = Number(process.env["TOUCHSTONE_FUZZ_RUNS"]) || 4;

/** The exact percentile: the smallest duration that is not exceeded in this share of the calls. */
function nearestRank(durations: readonly number[], part: number): number | null {
  const sorted = durations.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}

function expectNear(found: number | null, exact: number | null): void {
  if (exact === null || found === null) expect(found).toBe(exact);
  else expect(Math.abs(found - exact)).toBeLessThanOrEqual(Math.max(exact * 0.05, 0.001));
}

it("estimates percentiles of any durations within 5%", () => {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  const text = db.prepare(
    `SELECT ${DURATION} AS text FROM (SELECT CAST(? AS REAL) AS duration_ms)`,
  );
  const lengths = fc.oneof(
    fc.double({ min: 0, max: 100, noNaN: true }),
    fc.double({ min: 0, max: 1e12, noNaN: true }),
    fc.constantFrom(0, 0.001, 1, 1.1, 1.1 ** 40, 1e300, Number.MIN_VALUE),
  );
  fc.assert(
    fc.property(fc.array(lengths, { maxLength: 60 }), (durations) => {
      const found: Durations = new Map();
      for (const duration of durations) {
        addDurations(found, (text.get([duration]) as { text: string }).text);
      }
      const { p50_ms, p95_ms } = percentilesOf(found);
      expectNear(p50_ms, nearestRank(durations, 0.5));
      expectNear(p95_ms, nearestRank(durations, 0.95));
    }),
  );
});

it("ignores parts of a changed text that are not durations", () => {
  const found: Durations = new Map();
  addDurations(found, "3:2  x:1 4 :5 6: 7:-1 8:1.5e9999 -9:1 3:1");
  expect([...found]).toEqual([
    [3, 3],
    [8, Number.POSITIVE_INFINITY],
    [-9, 1],
  ]);
});

/** The parts from which records are made. */
const entries = fc.record({
  kind: fc.constantFrom("call", "call", "decision", "system_stop" as const),
  server: fc.constantFrom("a", "b", undefined),
  tool: fc.constantFrom("x", "y", "天", undefined),
  status: fc.constantFrom(...ACTIVITY_STATUSES),
  duration: fc.option(fc.integer({ min: 0, max: 4_000 }), { nil: undefined }),
  rules: fc.subarray(["type", "required", "extra"] as const),
});

type Made = typeof entries extends fc.Arbitrary<infer T> ? T : never;

function entryOf(made: Made): ActivityEntry {
  const { kind, server, tool, status, duration, rules } = made;
  if (kind === "system_stop") return { type: "system_stop", source: "gateway" };
  const common = { source: "gateway", server, tool, status } as const;
  if (kind === "call") {
    const duration_ms = duration === undefined ? undefined : duration / 4;
    return { ...common, type: "tool_call", duration_ms };
  }
  return {
    ...common,
    ...{ type: "policy_decision", direction: "input", mode: "strict" },
    decision: status === "blocked" ? "blocked" : "allowed",
    issues: rules.map((rule) => ({ path: "", message: "m", rule })),
  };
}

type Action =
  | { do: "append"; store: number; minutes: number; records: Made[] }
  | { do: "roll up" | "forget" }
  | { do: "prune"; keep: number };

/** The actions on the records of a store. */
const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("append" as const),
        store: fc.integer({ min: 0, max: 1 }),
        // The clock may be set back.
        minutes: fc.integer({ min: -100, max: 240 }),
        records: fc.array(entries, { minLength: 1, maxLength: 30 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("roll up" as const) }) },
    // Simulates that a build without rollups has written all records.
    { weight: 1, arbitrary: fc.record({ do: fc.constant("forget" as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("prune" as const),
        keep: fc.integer({ min: 20, max: 200 }),
      }),
    },
  ),
  { minLength: 6, maxLength: 16 },
);

const HALF_DAY: readonly Action[] = Array.from({ length: 6 }, (_, n) => ({
  do: "append",
  store: n % 2,
  minutes: 25 * n,
  records: Array.from({ length: 30 }, (_all, at) => ({
    kind: at % 3 === 0 ? "decision" : "call",
    server: "a",
    tool: at % 2 === 0 ? "x" : "天",
    status: at % 5 === 0 ? "blocked" : "success",
    duration: at * n,
    rules: at % 2 === 0 ? ["type", "extra"] : [],
  })),
}));

const oneCall = (duration: number | undefined): Action => {
  const made: Made = {
    kind: "call",
    server: "a",
    tool: "x",
    status: "success",
    duration,
    rules: [],
  };
  return { do: "append", store: 0, minutes: 1, records: [made] };
};

/** Retention removes a part of an hour that is rolled up; retention removes records when nothing is rolled up. */
const EXAMPLES: [Action[]][] = [
  [[...HALF_DAY, { do: "roll up" }, { do: "prune", keep: 130 }]],
  [[...HALF_DAY, { do: "forget" }]],
  // A call without a duration is rolled up after calls of the same kind that have one.
  [[oneCall(8), { do: "roll up" }, oneCall(undefined), { do: "roll up" }]],
];

const count = <T>(values: readonly (T | null)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values)
    if (value !== null) counts[`${value}`] = (counts[`${value}`] ?? 0) + 1;
  return counts;
};

/** The parts of a summary, in any order, according to a count of all records. */
function expectedSummary(records: readonly ActivityRecord[]) {
  const calls = records.filter(({ type }) => type === "tool_call");
  const decisions = records.filter(({ type }) => type === "policy_decision");
  const tools = Object.entries(
    count(calls.map(({ server, tool }) => JSON.stringify([server, tool]))),
  );
  return {
    records: records.length,
    types: count(records.map(({ type }) => type)),
    calls: { total: calls.length, ...count(calls.map(({ status }) => status)) },
    decisions: count(decisions.map(({ decision }) => decision)),
    tools: tools
      .map(([name, made]) => {
        const own = calls.filter(({ server, tool }) => JSON.stringify([server, tool]) === name);
        const sum = own.reduce((total, { duration_ms }) => total + (duration_ms ?? 0), 0);
        const blocked = own.filter(({ status }) => status === "blocked").length;
        return [name, made, blocked, Math.round((sum / made) * 1000) / 1000];
      })
      .sort(),
    rules: Object.entries(
      count(
        decisions.flatMap(({ server, tool, direction, issues }) =>
          (issues.length === 0 ? [{ rule: "none" }] : issues).map(({ rule }) =>
            JSON.stringify([server, tool, direction, rule]),
          ),
        ),
      ),
    ).sort(),
  };
}

function shownSummary({ records, types, calls, decisions, tools, rules }: ActivitySummary) {
  return {
    ...{ records, types, calls, decisions },
    tools: tools
      .map(({ server, tool, calls: made, blocked, mean_ms }) => [
        JSON.stringify([server, tool]),
        ...[made, blocked, mean_ms],
      ])
      .sort(),
    rules: rules
      .map(({ server, tool, direction, rule, records: found }) => [
        JSON.stringify([server, tool, direction, rule]),
        found,
      ])
      .sort(),
  };
}

async function expectExact(
  reader: ActivityReader,
  records: readonly ActivityRecord[],
  now: Date,
): Promise<void> {
  const ago = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);
  const scopes: readonly ActivityScope[] = [
    {},
    { since: ago(30) },
    { since: ago(300) },
    { until: ago(90) },
    { since: ago(1_000), until: ago(130) },
    { since: ago(600), server: "a", types: ["tool_call", "policy_decision"] },
    { tool: "天", statuses: ["blocked", "error"] },
  ];
  for (const scope of scopes) {
    const met = records.filter((record) => isInScope(record, scope));
    expect(shownSummary(await reader.summary(scope))).toEqual(expectedSummary(met));
    expect(await reader.list({ ...scope, limit: 1, offset: 0 })).toMatchObject({
      total: met.length,
    });
  }
  for (const hours of [1, 6, 24, 168]) {
    const ms = hours * 3_600_000;
    const buckets = overviewBuckets(ms);
    const since = new Date(now.getTime() - ms);
    const overview = await reader.overview({ since, until: now, buckets, excuses: [] });
    for (const bucket of overview.buckets) {
      const begin = Date.parse(bucket.time);
      const time = { since: new Date(begin), until: new Date(begin + overview.bucket_ms) };
      const calls = records.filter(
        (record) =>
          isInScope(record, { ...time, types: ["tool_call"] }) &&
          Date.parse(record.time) < now.getTime(),
      );
      const ended = (...statuses: string[]): number =>
        calls.filter(({ status }) => statuses.includes(status ?? "")).length;
      const exact = {
        calls: calls.length,
        blocked: ended("blocked"),
        errors: ended("error"),
        denied: ended("denied"),
        held: ended("held"),
        out_of_bounds: ended("out_of_bounds"),
        limited: ended("limited", "rejected"),
      };
      expect(bucket).toMatchObject(exact);
      const durations = calls.flatMap(({ duration_ms }) => duration_ms ?? []);
      expectNear(bucket.p50_ms, nearestRank(durations, 0.5));
      expectNear(bucket.p95_ms, nearestRank(durations, 0.95));
    }
  }
}

const CHILD = `import { openPlace } from "@touchstone/gateway/activity";
  const pruner = await openPlace(JSON.parse(process.argv[1])).pruner();
  await pruner.rollUp();
  process.send("done");`;

async function forget(at: StoreUnderTest): Promise<void> {
  await at.query("DELETE FROM rollup_chains");
  await at.query("DELETE FROM rollup");
}

const sumOf = async (at: StoreUnderTest, table: string): Promise<number> => {
  const [row] = await at.query(`SELECT coalesce(sum(records), 0) AS sum FROM ${table}`);
  return Number((row as { sum: unknown }).sum);
};

/** Ids of a process only increase. */
let day = Date.UTC(2027, 0, 1);

eachOf(usePlaces(), 1)(
  "counts in %s match the records after rollups, pruning and writes by older builds",
  async (_, open) => {
    await fc.assert(
      fc.asyncProperty(actions, async (given) => {
        const at = await open((reason) => {
          throw new Error(reason);
        });
        day += 30 * 24 * HOUR_MS;
        let moment = day;
        const now = (): Date => new Date(moment);
        const stores = [await at.store({ now }), await at.store({ now })] as const;
        const pruner = await at.pruner(now);
        try {
          for (const action of given) {
            if (action.do === "append") {
              moment += action.minutes * 60_000;
              await stores[action.store === 0 ? 0 : 1].append(action.records.map(entryOf));
            }
            if (action.do === "roll up") await pruner.rollUp();
            if (action.do === "prune") await pruner.prune({ maxRecords: action.keep });
            if (action.do === "forget") {
              // Moves the records from the journals into the database.
              await stores[0].usage();
              await forget(at);
            }
          }
          const [reader] = stores;
          const records = await reader.scan({}, { limit: 10_000 });
          moment += 1;
          await expectExact(reader, records, now());
          await pruner.rollUp();
          await expectExact(reader, records, now());
          expect(await verifyActivity(reader)).toMatchObject({ ok: true, store_faults: [] });
        } finally {
          for (const opened of [...stores, pruner]) await opened.close();
        }
      }),
      { numRuns: RUNS, examples: EXAMPLES },
    );
  },
  120_000,
);

eachOf(usePlaces(), 1)(
  "rolls up each record in %s once, despite concurrent writers and a killed one",
  async (_, open) => {
    const at = await open((reason) => {
      throw new Error(reason);
    });
    const stores = [closing(await at.store()), closing(await at.store())];
    const group = Array.from({ length: 1_000 }, (_all, n) => ({ ...CALL, tool: `t${n % 50}` }));
    for (let n = 0; n < 10; n += 1) for (const { append } of stores) await append(group);
    const [store] = stores;
    expect((await store?.usage())?.records).toBe(20_000);
    await forget(at);
    const child = spawn(
      process.execPath,
      ["--input-type=module", "-e", CHILD, JSON.stringify(at.at)],
      {
        cwd: import.meta.dirname,
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      },
    );
    const ended = once(child, "exit");
    while ((await sumOf(at, "rollup_chains")) === 0) expect(child.exitCode).toBeNull();
    child.kill("SIGKILL");
    await ended;
    const killedAt = await sumOf(at, "rollup_chains");
    expect(await sumOf(at, "rollup")).toBe(killedAt);
    const pruners = [closing(await at.pruner()), closing(await at.pruner())];
    await Promise.all([
      ...pruners.map((pruner) => pruner.rollUp()),
      ...stores.map(({ append }) => append(group)),
    ]);
    await store?.usage();
    await pruners[0]?.rollUp();
    expect([await sumOf(at, "rollup_chains"), await sumOf(at, "rollup")]).toEqual([22_000, 22_000]);
    expect((await store?.summary({}))?.calls["total"]).toBe(22_000);
  },
  60_000,
);
