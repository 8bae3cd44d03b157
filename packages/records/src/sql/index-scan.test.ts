import { join } from "node:path";
import fc from "fast-check";
import type { CompiledQuery } from "kysely";
import { describe, expect, it } from "vitest";
import { parseCallFilter } from "../calls.ts";
import { type ActivityScope, DECISIONS, DIRECTIONS } from "../filter.ts";
import { openActivityStore, openPruner } from "../open-sqlite.ts";
import type { ActivityEntry, ActivityRecord } from "../record.ts";
import { isInScope } from "../scope.ts";
import { connect } from "../sqlite/connection.ts";
import { createDatabase } from "../sqlite/database.ts";
import { CALL, filter, openTemp } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { callHistogram } from "./call-counts.ts";
import { callPage } from "./calls.ts";
import type { RunQuery } from "./database.ts";
import { planIndexScan } from "./index-scan.ts";
import { scanCount, scanPage } from "./pages.ts";
import { withProblem } from "./problems/filter.ts";

const TYPES = ["tool_call", "policy_decision"] as const;
const STATUSES = ["success", "error", "blocked"] as const;
const SESSIONS = ["1", "2"].map((digit) => `sha256:${digit.repeat(64)}`);
const SERVERS = ["", "a", "b"];
const TOOLS = ["", "x", "y"];

const entry: fc.Arbitrary<ActivityEntry> = fc.record(
  {
    type: fc.constantFrom(...TYPES),
    source: fc.constant("gateway" as const),
    server: fc.constantFrom(...SERVERS),
    tool: fc.constantFrom(...TOOLS),
    direction: fc.constantFrom(...DIRECTIONS),
    decision: fc.constantFrom(...DECISIONS),
    status: fc.constantFrom(...STATUSES),
    session: fc.constantFrom(...SESSIONS),
    request_id: fc.constantFrom("r1", "r2"),
    caller: fc.constantFrom("alice", "bob"),
  },
  { requiredKeys: ["type", "source"] },
);
const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const condition = <Field extends string>(field: Field, values: readonly string[]) =>
  fc.record({ field: fc.constant(field), values: some(values), isExcluded: fc.boolean() });
const where = fc.array(
  fc.oneof(
    condition("tool", ["x", "y", "none"]),
    condition("server", ["a", "none"]),
    condition("status", STATUSES),
    condition("caller", ["alice", "bob"]),
  ),
  { maxLength: 3 },
);
const scope: fc.Arbitrary<ActivityScope> = fc.record(
  {
    where,
    types: some(TYPES),
    server: fc.constantFrom(...SERVERS, "none"),
    tool: fc.constantFrom(...TOOLS, "none"),
    directions: some(DIRECTIONS),
    decisions: some(DECISIONS),
    statuses: some(STATUSES),
    session: fc.constantFrom(...SESSIONS),
    request: fc.constantFrom("r1", "r3"),
    caller: fc.constantFrom("alice", "carol"),
    since: fc.nat(600).map((seconds) => new Date(Date.UTC(2026, 7, 31, 9, 0, seconds))),
    until: fc.nat(600).map((seconds) => new Date(Date.UTC(2026, 7, 31, 9, 0, seconds))),
  },
  { requiredKeys: [] },
);

describe("a page of records", () => {
  it("has the matching records in order, for any filter", async () => {
    let second = 0;
    const store = await openTemp(() => new Date(Date.UTC(2026, 7, 31, 9, 0, second)));
    const records: ActivityRecord[] = [];
    for (const one of fc.sample(entry, 400)) {
      second += 1;
      records.push(...(await store.append([one])));
    }
    const page = fc.record({ offset: fc.nat(5), limit: fc.integer({ min: 1, max: 60 }) });
    await fc.assert(
      fc.asyncProperty(scope, page, fc.nat(399), async (asked, { offset, limit }, at) => {
        const met = records.filter((record) => isInScope(record, asked));
        const after = records[at]?.id ?? "";
        const newest = met.filter(({ id }) => id < after).reverse();
        const listed = await store.list({ ...asked, after, offset, limit });
        expect(listed.activities).toEqual(newest.slice(offset, offset + limit));
        const oldest = met.filter(({ id }) => id > after);
        expect(await store.scan(asked, { after, limit })).toEqual(oldest.slice(0, limit));
      }),
      { numRuns: 300 },
    );
    await store.close();
  });

  it("can cover more servers than one statement can name", async () => {
    const store = await openTemp();
    const entries = Array.from({ length: 1_500 }, (_, n) => ({ ...CALL, server: `s${n % 900}` }));
    const records = [...(await store.append(entries))].reverse();
    const ids = (of: readonly ActivityRecord[]) => of.map(({ id }) => id);
    for (const limit of ["10", "1000"]) {
      const { activities } = await store.list(filter({ type: "tool_call", limit }));
      expect(ids(activities)).toEqual(ids(records.slice(0, Number(limit))));
    }
    const { activities } = await store.list(
      filter({ type: "tool_call", limit: "9", offset: "995" }),
    );
    expect(ids(activities)).toEqual(ids(records.slice(995, 1004)));
    await store.close();
  });
});

describe("the query plan of a page", () => {
  it.each([
    { types: ["tool_call"] },
    { types: ["tool_call", "schema_change"], server: "a" },
    { statuses: ["error"] },
    { decisions: ["blocked"], directions: ["input"] },
    { server: "a", since: new Date(0), until: new Date() },
    { tool: "x" },
    { tool: "x", server: "a" },
    { tool: "x", statuses: ["error"] },
    { session: SESSIONS[0] ?? "", types: ["tool_call"] },
    { session: SESSIONS[0] ?? "", server: "a" },
    { request: "r1", statuses: ["error"] },
  ] as const satisfies readonly ActivityScope[])(
    "reads only records that can match: %j",
    async (asked) => {
      const dataDir = tempDir();
      const store = await openActivityStore({ dataDir, sync: "normal" });
      await store.append([{ ...CALL, server: "a", tool: "x", status: "error" }]);
      expect(await store.list(filter())).toMatchObject({ total: 1 });
      const db = connect(join(dataDir, "activity.db"), "read");
      const plans: string[] = [];
      const run = async <Row>({ sql, parameters }: CompiledQuery<Row>): Promise<readonly Row[]> => {
        const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all([...parameters]);
        plans.push(...(rows as { detail: string }[]).map(({ detail }) => detail));
        return db.prepare(sql).all([...parameters]) as Row[];
      };
      const route = await planIndexScan(run, asked, 0);
      if (route === undefined) throw new Error("there is no route");
      await scanPage(run, route, { order: "desc", after: "7", limit: 51 });
      await run(scanCount(route));
      expect(plans.filter((step) => /SCAN (activity|x)\b/.test(step))).toEqual([]);
      const used = plans.filter((step) => step.includes(route.index));
      const indexed =
        route.index === "activity_kind"
          ? /\(type=\? AND direction=\? AND decision=\? AND status=\? AND server=\?/
          : /\((tool=\? AND server|session|request_id)=\?/;
      expect(used).not.toEqual([]);
      for (const step of used) expect(step).toMatch(indexed);
      db.close();
      await store.close();
    },
  );
});

describe("the query plan of a page of calls", () => {
  it.each([
    {},
    { q: "nothing has this" },
    { rule: "type" },
    { status: "error", caller: "alice" },
    { problem: "" },
  ])("finds the decisions about calls by their requests: %j", async (given) => {
    const dataDir = tempDir();
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const issues = [{ path: "/x", message: "must be string", rule: "type", keyword: "type" }];
    const decided = { direction: "input", decision: "blocked", outcome: "violation" } as const;
    const call = { ...CALL, server: "a", tool: "x", request_id: "r1", status: "blocked" } as const;
    await store.append([
      { ...call, ...decided, type: "policy_decision", issues } as ActivityEntry,
      { ...call, decision: "blocked" },
    ]);
    await store.usage();
    const pruner = await openPruner(join(dataDir, "activity.db"));
    await pruner.rollUp();
    await pruner.close();
    const now = new Date(Date.now() + 60_000);
    const { problems } = await store.problems({ limit: 1, offset: 0 }, { now });
    const asked = "problem" in given ? { problem: problems[0]?.id ?? "" } : given;
    const path = join(dataDir, "activity.db");
    const connection = connect(path, "read");
    const db = createDatabase(connection, path);
    const plans: string[] = [];
    await db.read(async (run) => {
      const explained: RunQuery = async (query) => {
        const rows = connection
          .prepare(`EXPLAIN QUERY PLAN ${query.sql}`)
          .all([...query.parameters]);
        plans.push(...(rows as { detail: string }[]).map(({ detail }) => detail));
        return run(query);
      };
      const scope = await withProblem(db, explained, parseCallFilter(asked, now));
      const { calls } = await callPage(db, explained, scope);
      const { limit: _, order: __, ...of } = scope;
      await callHistogram(db, explained, of, { buckets: 10, now });
      if ("problem" in asked) expect(calls).toHaveLength(1);
    });
    const byType = plans.filter((step) => /activity_kind \(type=/.test(step));
    expect(byType.filter((step) => !step.includes("status=?"))).toEqual([]);
    connection.close();
    await store.close();
  });
});
