import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachOf, long } from "../../../../core/src/testing/sample.ts";
import type { CallScope } from "../../calls.ts";
import { idTime, nextId } from "../../ids.ts";
import type { Problem } from "../../problems/response-schemas.ts";
import type { ActivityEntry, ActivityRecord } from "../../record.ts";
import type { ActivityReader } from "../../store.ts";
import { closing, type StoreUnderTest, usePlaces } from "../../testing/places.ts";
import { verifyActivity } from "../../verify/verify.ts";
import { MOST_CALLERS, MOST_OF_TOOL } from "./fold.ts";

const HOUR_MS = 3_600_000;
const RUNS = Number(process.env["TOUCHSTONE_FUZZ_RUNS"]) || 4;

const PLACES = usePlaces();

/** The parts from which the records of one call are made. */
const calls = fc.record({
  server: fc.constantFrom("a", "b", undefined),
  tool: fc.constantFrom("x", "天"),
  direction: fc.constantFrom("input", "output" as const),
  caller: fc.constantFrom("alice", "bob", undefined),
  decision: fc.constantFrom("allowed", "warning", "blocked", "repaired" as const),
  issues: fc.uniqueArray(
    fc.constantFrom(
      { path: "/items/0/id", rule: "type", keyword: "type", message: "must be string" } as const,
      { path: "/items/17/id", rule: "type", keyword: "type", message: "must be string" } as const,
      { path: "/items/0/id", rule: "value", keyword: "enum", message: "must be one of" } as const,
      { path: "/a*/**", rule: "extra", message: "must not be there" } as const,
      { path: "", rule: "required", keyword: "required", message: "/b is required" } as const,
      { path: "/p", rule: "policy", message: "denied" } as const,
    ),
    { maxLength: 4 },
  ),
  truncated: fc.constantFrom(undefined, undefined, 2),
  duration: fc.integer({ min: 0, max: 90_000 }),
});

type Made = typeof calls extends fc.Arbitrary<infer T> ? T : never;

let requests = 0;

/** Returns the records of a call: those of its check, and its own. */
function entriesOf(made: Made): readonly ActivityEntry[] {
  const { server, tool, direction, caller, decision, truncated, duration, ...given } = made;
  const issues = decision === "allowed" ? [] : given.issues;
  requests += 1;
  const common = { source: "gateway", server, tool, caller, request_id: `r${requests}` } as const;
  const outcome = decision === "allowed" ? "pass" : "violation";
  const decided: ActivityEntry = {
    ...common,
    ...{ type: "policy_decision", direction, mode: "warn", decision, status: "warning" },
    ...{ issues, truncated, outcome },
  };
  const call: ActivityEntry = {
    ...common,
    ...{ type: "tool_call", status: "success", duration_ms: duration },
    checks: `${direction} warn ${outcome}`,
  };
  return decision === "allowed" ? [call] : [decided, call];
}

type Action =
  | { do: "append"; store: number; minutes: number; calls: Made[] }
  | { do: "fold" | "forget" };

const actions = (stores: number): fc.Arbitrary<Action[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant("append" as const),
          store: fc.integer({ min: 0, max: stores - 1 }),
          minutes: fc.integer({ min: 0, max: 200 }),
          calls: fc.array(calls, { minLength: 1, maxLength: 20 }),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant("fold" as const) }) },
      // Simulates that a build without problems has written all records.
      { weight: 1, arbitrary: fc.record({ do: fc.constant("forget" as const) }) },
    ),
    { minLength: 4, maxLength: 12 },
  );

/** The parts of a problem that are compared. */
interface Expected {
  calls: number;
  blocked: number;
  callers: Set<string>;
  first: string;
  last: string;
  passed: number;
}

const keyOf = (
  problem: Pick<Problem, "server" | "tool" | "direction" | "place" | "rule" | "keyword">,
) =>
  JSON.stringify([
    ...[problem.server, problem.tool, problem.direction],
    ...[problem.place, problem.rule, problem.keyword],
  ]);

/** Counts records one by one. */
function recount(records: readonly ActivityRecord[], since?: Date) {
  const found = new Map<string, Expected>();
  let others = 0;
  for (const record of records) {
    const { type, tool, decision, time, caller, direction, server } = record;
    if (type !== "policy_decision" || tool === null) continue;
    if (decision !== "warning" && decision !== "blocked") continue;
    const issues = record.issues.filter(({ rule }) => rule !== "policy");
    const isOnlyPolicy = record.issues.length > 0 && issues.length === 0;
    const given = issues.map(({ path, rule, keyword }) => [
      path.replace("/a*/**", "/a*/~2~2").replace(/\/\d+(?=\/)/g, "/*"),
      rule,
      keyword ?? null,
    ]);
    const own = record.issues.length === 0 ? [["", "schema", null]] : given;
    const isCounted = since === undefined || new Date(time) >= since;
    if (isCounted && !isOnlyPolicy && (record.truncated ?? 0) > 0) others += 1;
    for (const key of new Set(
      own.map((parts) => JSON.stringify([server, tool, direction, ...parts])),
    )) {
      const known = found.get(key) ?? {
        ...{ calls: 0, blocked: 0, callers: new Set<string>(), passed: 0 },
        ...{ first: time, last: time },
      };
      found.set(key, known);
      if (time < known.first) known.first = time;
      if (time > known.last) known.last = time;
      if (!isCounted) continue;
      known.calls += 1;
      if (decision === "blocked") known.blocked += 1;
      if (caller !== undefined) known.callers.add(caller);
    }
  }
  for (const [key, known] of found) {
    const [server, tool, direction] = JSON.parse(key) as [string | null, string, string];
    known.passed = records.filter(
      (record) =>
        record.type === "tool_call" &&
        record.server === server &&
        record.tool === tool &&
        record.checks === `${direction} warn pass` &&
        Date.parse(record.time) - (record.duration_ms ?? 0) > Date.parse(known.last),
    ).length;
  }
  return { found, others };
}

async function expectExact(
  reader: ActivityReader,
  records: readonly ActivityRecord[],
  { now, since, isOne }: { now: Date; since?: Date; isOne: boolean },
): Promise<void> {
  const page = await reader.problems({ limit: 200, offset: 0, ...(since && { since }) }, { now });
  const { found, others } = recount(records, since);
  const shown = Object.fromEntries(
    page.problems.map((problem) => [
      keyOf(problem),
      {
        ...{
          calls: problem.calls,
          blocked: problem.blocked,
          callers: problem.callers.names.toSorted(),
        },
        ...{ first: problem.first, last: problem.last },
        buckets: problem.buckets.reduce((sum, calls) => sum + calls, 0),
        ...(isOne && { passed: problem.passed_since }),
      },
    ]),
  );
  const expected = Object.fromEntries(
    [...found]
      .filter(([, { calls }]) => since === undefined || calls > 0)
      .map(([key, { calls, blocked, callers, first, last, passed }]) => [
        key,
        {
          ...{ calls, blocked, callers: [...callers].sort(), first, last, buckets: calls },
          ...(isOne && { passed }),
        },
      ]),
  );
  expect(shown).toEqual(expected);
  expect(page).toMatchObject({ others, not_counted: 0, total: Object.keys(expected).length });
  for (const problem of page.problems) {
    const known = found.get(keyOf(problem));
    expect(problem.passed_since).toBeLessThanOrEqual(known?.passed ?? 0);
  }
}

const TABLES = ["problem_chains", "problem_hours", "problem_callers", "problems"];

async function forget(at: StoreUnderTest): Promise<void> {
  for (const table of TABLES) await at.query(`DELETE FROM ${table}`);
}

/** Ids of a process only increase, even after those of another test file. */
const DAY_MS = 24 * HOUR_MS;
let day = Math.ceil(idTime(nextId(new Date(Date.UTC(2028, 0, 1)))) / DAY_MS) * DAY_MS;

for (const writers of [1, 2]) {
  eachOf(PLACES, 1)(
    `finds in %s what a recount of the records of ${writers} processes finds`,
    async (_, open) => {
      await fc.assert(
        fc.asyncProperty(actions(writers), async (given) => {
          const at = await open((reason) => {
            throw new Error(reason);
          });
          day += 30 * 24 * HOUR_MS;
          let moment = day;
          const now = (): Date => new Date(moment);
          const stores = [await at.store({ now })];
          if (writers > 1) stores.push(await at.store({ now }));
          const pruner = await at.pruner(now);
          try {
            for (const action of given) {
              if (action.do === "append") {
                moment += action.minutes * 60_000;
                for (const made of action.calls) {
                  moment += 7;
                  await stores[action.store]?.append(entriesOf(made));
                }
              }
              if (action.do === "fold") await pruner.rollUp();
              if (action.do === "forget") {
                // Moves the records from the journals into the database.
                await stores[0]?.usage();
                await forget(at);
              }
            }
            const reader = stores[0] as ActivityReader;
            const records = await reader.scan({}, { limit: 10_000 });
            await pruner.rollUp();
            moment += 1;
            const isOne = writers === 1;
            await expectExact(reader, records, { now: now(), isOne });
            const since = new Date(Math.floor(moment / HOUR_MS - 2) * HOUR_MS);
            await expectExact(reader, records, { now: now(), since, isOne });
            expect(await verifyActivity(reader)).toMatchObject({ ok: true, store_faults: [] });
          } finally {
            for (const opened of [...stores, pruner]) await opened.close();
          }
        }),
        { numRuns: RUNS },
      );
    },
    120_000,
  );
}

describe.each(PLACES)("problems in %s", (_kind, open) => {
  async function place(skip: (reason: string) => never) {
    const at = await open(skip);
    day += 30 * 24 * HOUR_MS;
    let moment = day;
    const now = (): Date => new Date(moment);
    const store = closing(await at.store({ now }));
    const fold = async (): Promise<void> => {
      // Moves the records from the journals into the database.
      await store.usage();
      const pruner = await at.pruner(now);
      await pruner.rollUp();
      await pruner.close();
    };
    const pass = (ms: number): void => {
      moment += ms;
    };
    return { at, store, now, fold, pass };
  }

  const failing = (more: Partial<ActivityEntry> = {}): ActivityEntry => ({
    ...{ type: "policy_decision", source: "gateway", server: "s", tool: "t" },
    ...{ direction: "input", mode: "strict", decision: "blocked", status: "blocked" },
    ...{ outcome: "violation", caller: "alice" },
    issues: [
      {
        ...{ path: "/city", message: "must be string", rule: "type", keyword: "type" },
        params: { type: "string", received: "integer" },
      },
    ],
    ...more,
  });
  const issueAt = (path: string) => ({
    issues: [{ path, message: "must be string", rule: "type" as const, keyword: "type" }],
  });

  it("says what was wrong, what allows it, and what the current settings do", async ({ skip }) => {
    const { store, now, fold } = await place(skip);
    await store.append([failing()]);
    await fold();
    const excuse = { direction: "input", server: undefined, tool: undefined } as const;
    const modes = { input: "strict", output: "warn", protocol: "off" } as const;
    const blocksUnusable = { external: true, others: true };
    const settings = (places: Record<string, "warning">) => ({
      excuses: [{ ...excuse, rules: [], places, undeclared: "warning" as const }],
      modes: [
        {
          ...{ server: undefined, tool: undefined, basis: "in_force" as const, modes },
          ...{ blocksMissing: false },
          blocksUnusable: { input: blocksUnusable, output: blocksUnusable },
        },
      ],
    });
    const page = { limit: 10, offset: 0 };
    const shown = await store.problems(page, { settings: settings({}), now: now() });
    expect(shown.problems).toMatchObject([
      {
        ...{ server: "s", tool: "t", direction: "input", place: "/city", state: "open" },
        ...{ received: "integer", mode: "strict", calls: 1, blocked: 1 },
        text: expect.stringContaining("/city must be a string"),
        allow: {
          s: {
            touchstone: { tools: { t: { input_validation: { rules: { "/city": "warning" } } } } },
          },
        },
      },
    ]);
    for (const [rule, state] of [
      ["/city", "allowed"],
      ["type", "allowed"],
      ["/other", "open"],
    ] as const) {
      const { problems } = await store.problems(page, {
        settings: settings({ [rule]: "warning" }),
        now: now(),
      });
      expect(problems, rule).toMatchObject([{ state }]);
    }
    const allowed = { settings: settings({ "/city": "warning" }), now: now() };
    expect((await store.problems({ ...page, states: ["open"] }, allowed)).problems).toEqual([]);
    expect(await store.problems({ ...page, states: ["allowed"] }, allowed)).toMatchObject({
      total: 1,
      states: { open: 0, allowed: 1 },
    });
  });

  it("ignores a problem for some time, and keeps who decided", async ({ skip }) => {
    const { store, now, fold, pass } = await place(skip);
    await store.append([failing()]);
    await fold();
    const look = async () =>
      (await store.problems({ limit: 10, offset: 0 }, { now: now() })).problems[0];
    const id = (await look())?.id ?? "";
    const until = new Date(now().getTime() + HOUR_MS).toISOString();
    const ignore = { problem: id, until, since: now().toISOString(), actor: "auth.keys" };
    expect(
      await store.problemIgnores.add({ ...ignore, problem: "x", caller: null, reason: null }),
    ).toBe(false);
    expect(await store.problemIgnores.add({ ...ignore, caller: "bob", reason: "known" })).toBe(
      true,
    );
    expect(await look()).toMatchObject({
      state: "ignored",
      ignored: { until, by: "bob, auth.keys", reason: "known" },
    });
    pass(HOUR_MS);
    expect(await look()).toMatchObject({ state: "open", ignored: null });
    expect(await store.problemIgnores.end(id, now().toISOString())).toBe(false);
    await store.problemIgnores.add({
      ...ignore,
      until: "3000-01-01T00:00:00.000Z",
      caller: null,
      reason: null,
    });
    expect(await store.problemIgnores.end(id, now().toISOString())).toBe(true);
    expect(await look()).toMatchObject({ state: "open" });
  });

  it("counts later calls that passed, and is open again with the next sighting", async ({
    skip,
  }) => {
    const { store, now, fold, pass } = await place(skip);
    const good: ActivityEntry = {
      ...{ type: "tool_call", source: "gateway", server: "s", tool: "t", status: "success" },
      ...{ duration_ms: 5, checks: "input strict pass" },
    };
    const look = async () => {
      await fold();
      return (await store.problems({ limit: 10, offset: 0 }, { now: now() })).problems;
    };
    await store.append([failing()]);
    pass(1_000);
    await store.append([
      ...Array.from({ length: 19 }, () => good),
      // These calls are not evidence: one began before, one check looked for less, one is of another direction, one
      // of another tool.
      { ...good, duration_ms: 2_000 },
      { ...good, checks: `input strict pass less:${"0".repeat(10)}` },
      { ...good, checks: "output strict pass" },
      { ...good, tool: "u" },
    ]);
    expect(await look()).toMatchObject([{ state: "open", passed_since: 19 }]);
    await store.append([good]);
    expect(await look()).toMatchObject([{ state: "not_seen", passed_since: 20 }]);
    pass(1_000);
    await store.append([failing()]);
    expect(await look()).toMatchObject([{ state: "open", passed_since: 0, calls: 2 }]);
  });

  it("has room for so many problems of a tool and callers of a problem, and counts the others", async ({
    skip,
  }) => {
    const { store, now, fold } = await place(skip);
    const places = Array.from({ length: MOST_OF_TOOL + 7 }, (_, n) => failing(issueAt(`/x${n}`)));
    await store.append(places);
    await store.append([failing({ tool: "u" })]);
    await store.append(
      Array.from({ length: MOST_CALLERS + 3 }, (_, n) => failing({ tool: "u", caller: `c${n}` })),
    );
    await fold();
    const page = await store.problems({ limit: 200, offset: 0 }, { now: now() });
    expect(page).toMatchObject({ total: MOST_OF_TOOL + 1, others: 7 });
    expect(page.problems.find(({ tool }) => tool === "u")?.callers).toMatchObject({
      count: MOST_CALLERS,
      more: true,
    });
    expect(await verifyActivity(store)).toMatchObject({ ok: true, store_faults: [] });
  });

  it("forgets what retention has removed, by whole hours", async ({ skip }) => {
    const { at, store, now, fold, pass } = await place(skip);
    await store.append([
      failing({ caller: "old" }),
      failing({ ...issueAt("/gone"), caller: "old" }),
    ]);
    pass(3 * HOUR_MS);
    await store.append([failing({ caller: "new" })]);
    await fold();
    const pruner = await at.pruner(now);
    await pruner.prune({ maxRecords: 1 });
    await pruner.close();
    const { problems } = await store.problems({ limit: 10, offset: 0 }, { now: now() });
    // The hour of the last removed record stays if the remaining record is of the same hour.
    expect(problems.map(({ place: at }) => at)).toContain("/city");
    pass(3 * HOUR_MS);
    await store.append([failing({ caller: "newer" })]);
    await fold();
    const again = await at.pruner(now);
    await again.prune({ maxRecords: 1 });
    await again.close();
    const left = await store.problems({ limit: 10, offset: 0 }, { now: now() });
    expect(left.problems).toMatchObject([
      { place: "/city", callers: { names: ["newer", "new"] }, calls: 2 },
    ]);
    expect(await at.query("SELECT DISTINCT caller FROM problem_callers ORDER BY caller")).toEqual([
      { caller: "new" },
      { caller: "newer" },
    ]);
    expect(await verifyActivity(store)).toMatchObject({ ok: true, store_faults: [] });
  });

  it("forgets a caller who is erased, and places that only the calls of this caller had", async ({
    skip,
  }) => {
    const { at, store, now, fold } = await place(skip);
    await store.append([
      failing({ caller: "bob" }),
      failing({ caller: "gundula" }),
      failing({ ...issueAt("/emails/gundula@example.com"), caller: "gundula" }),
    ]);
    await fold();
    const [problem] = (await store.problems({ limit: 10, offset: 0 }, { now: now() })).problems;
    const until = "3000-01-01T00:00:00.000Z";
    await store.problemIgnores.add({
      ...{ problem: problem?.id ?? "", until, since: until },
      ...{ actor: "user gundula", caller: "gundula", reason: "gundula's own" },
    });
    const eraser = await at.eraser();
    await eraser.erase({
      ...{ subject: { caller: "gundula" }, dryRun: false, source: "cli" },
      author: { actor: "auth.keys", caller: "admin" },
    });
    await eraser.close();
    const page = await store.problems({ limit: 10, offset: 0 }, { now: now() });
    expect(JSON.stringify(page)).not.toContain("gundula");
    expect(page).toMatchObject({ total: 1, others: 2 });
    expect(page.problems).toMatchObject([
      { calls: 1, callers: { count: 1, names: ["bob"] }, ignored: { until } },
    ]);
    for (const table of [...TABLES, "problem_ignores"]) {
      expect(JSON.stringify(await at.query(`SELECT * FROM ${table}`))).not.toContain("gundula");
    }
    expect(await verifyActivity(store)).toMatchObject({ ok: true, store_faults: [] });
  });

  it.for<readonly [what: string, change: string, words: RegExp]>([
    [
      "another tool",
      "UPDATE problems SET tool = 'other'",
      /table problems: .*another server, tool or place/,
    ],
    ["more calls", "UPDATE problem_hours SET calls = calls + 1", /table problem_hours: /],
    [
      "a caller",
      "UPDATE problem_callers SET caller = 'mallory'",
      /problem_callers: .*whom no record has/,
    ],
    [
      "too many records",
      "UPDATE problem_chains SET records = 99",
      /table problem_chains: .*99 records/,
    ],
  ])("reports %s that somebody made up", async ([_what, change, words], { skip }) => {
    const { at, store, fold } = await place(skip);
    await store.append([failing()]);
    await fold();
    await at.query(change);
    const { ok, store_faults } = await verifyActivity(store);
    expect({ ok, faults: store_faults.join("\n") }).toMatchObject({
      ok: false,
      faults: expect.stringMatching(words),
    });
  });

  it("finds the calls of a problem, and no others", long, async ({ skip }) => {
    const { store, now, fold } = await place(skip);
    const paths = [
      ...["", "/a", "/items/0/id", "/items/17/id", "/items/x/id", "/items/0/1/id", "/items/0/idx"],
      ...[
        "/a*b/[c]",
        "/aXb/c",
        "/a*b/[c]/d",
        '/q"\\/%_',
        "/nul\u0000/x",
        "/half\ud800",
        "/天.+",
        "/9/9",
        "/x/9",
      ],
      ...["/*/y", "/**", "/~1~0", `/${"n".repeat(300)}`, `/${"n".repeat(299)}m`],
    ];
    const forms = [
      { rule: "type", keyword: "type" },
      { rule: "value", keyword: "enum" },
      { rule: "extra" },
    ] as const;
    const entries: ActivityEntry[] = [];
    const add = (more: Partial<ActivityEntry>): void => {
      const request_id = `r${entries.length}`;
      const call = { ...failing({ ...more, request_id, issues: [] }), type: "tool_call" } as const;
      entries.push(failing({ ...more, request_id }), call);
    };
    for (const path of paths) {
      for (const form of forms) {
        // A message may look like another part of the issue's JSON.
        const message = `x","rule":"type","keyword":"type"} {"path":"/a`;
        const issues = [
          { path: "/other", message, rule: "number" as const },
          { path, message, ...form },
        ];
        for (const decision of ["blocked", "allowed"] as const) add({ decision, issues });
      }
    }
    add({ issues: [], outcome: "unknown" });
    await store.append(entries);
    await fold();
    const { problems } = await store.problems({ limit: 200, offset: 0 }, { now: now() });
    expect(problems.length).toBeGreaterThan(45);
    for (const problem of problems) {
      const scope = { problem: problem.id, limit: 200, order: "desc" } as const;
      const { calls } = await store.calls(scope);
      expect(calls.length, JSON.stringify([problem.place, problem.rule])).toBe(problem.calls);
      // A chart counts the same calls, including those of a filter in addition to the problem.
      const others: readonly CallScope[] = [
        ...[{}, { tool: problem.tool }, { statuses: ["success"] as const }, { server: "x" }],
      ];
      for (const more of others) {
        const given: CallScope = { problem: problem.id, ...more };
        const listed = await store.calls({ ...scope, ...given });
        const { buckets, counted_from } = await store.histogram(given, {
          buckets: 60,
          now: new Date(now().getTime() + 1),
        });
        const counted = buckets.reduce((sum, bucket) => sum + bucket.calls, 0);
        expect([given, counted, counted_from]).toEqual([given, listed.calls.length, null]);
      }
    }
    const none = { problem: "0".repeat(20) };
    const { buckets } = await store.histogram(none, { buckets: 5, now: now() });
    expect(buckets.every(({ calls }) => calls === 0)).toBe(true);
    expect((await store.calls({ problem: "0".repeat(20), limit: 5, order: "desc" })).calls).toEqual(
      [],
    );
  });

  it("treats damaged issues as issues that are in no problem", async ({ skip }) => {
    const { at, store, now, fold } = await place(skip);
    await store.append([failing(), failing()]);
    await store.usage();
    await at.query(
      "UPDATE activity SET issues = '{' WHERE id = (SELECT min(id) FROM activity WHERE type = 'policy_decision')",
    );
    await forget(at);
    await fold();
    const page = await store.problems({ limit: 10, offset: 0 }, { now: now() });
    expect(page).toMatchObject({ total: 1, others: 1, problems: [{ calls: 1 }] });
  });
});
