import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Issue, Rule, SchemaRule } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import { notedDecision } from "../../gateway/src/policy/noted.ts";
import { verifyChain } from "./chain.ts";
import { addToShape, emptyShape, shapeBudgetFor } from "./drift/shape.ts";
import { parseActivityFilter, parseActivityScope } from "./filter.ts";
import type { ActivityEntry, ActivityRecord } from "./record.ts";
import type { Exemption } from "./rollout/exemption.ts";
import { isInScope } from "./scope.ts";
import { CALL } from "./testing/fixtures.ts";
import { closing, type StoreUnderTest, usePlaces } from "./testing/places.ts";
import { verifyActivity } from "./verify/verify.ts";

const RUNS = Number(process.env["TOUCHSTONE_FUZZ_RUNS"]) || undefined;

const NOW = new Date("2026-08-31T12:00:00Z");
const filter = (input: Record<string, string> = {}) => parseActivityFilter(input, NOW);
const scope = (input: Record<string, string> = {}) => parseActivityScope(input, NOW);

const VARIED: readonly Partial<ActivityEntry>[] = [
  { server: "a", tool: "x", status: "success", duration_ms: 4, request_id: "r0" },
  { server: "a", tool: "y", status: "warning", decision: "warning", request_id: "r1" },
  {
    type: "policy_decision",
    server: "a",
    tool: "y",
    direction: "input",
    mode: "warn",
    decision: "warning",
    status: "warning",
    outcome: "violation",
    request_id: "r1",
    issues: [
      { path: "/q", message: "must NOT have additional properties", rule: "extra" },
      { path: "/n", message: "must be integer", rule: "type" },
    ],
  },
  {
    type: "policy_decision",
    server: "a",
    tool: "y",
    direction: "output",
    mode: "warn",
    decision: "warning",
    status: "warning",
    outcome: "guard",
    request_id: "r1",
    issues: [{ path: "", message: "too large", rule: "guard" }],
  },
  {
    server: "b",
    tool: "x",
    status: "blocked",
    decision: "blocked",
    session: `sha256:${"1".repeat(64)}`,
  },
  {
    type: "policy_decision",
    server: "b",
    tool: "x",
    direction: "protocol",
    mode: "strict",
    decision: "blocked",
    status: "blocked",
    request_id: "r2",
  },
  {
    type: "policy_decision",
    server: "b",
    direction: "protocol",
    mode: "warn",
    decision: "warning",
    status: "warning",
    request_id: "r3",
    issues: [{ path: "", message: "bad", rule: "protocol" }],
  },
  { type: "system_stop" },
];

/** A store with the varied entries, one every 25 minutes from 09:00 on, so that they are in several hours. */
async function varied(place: StoreUnderTest): Promise<readonly ActivityRecord[]> {
  let at = Date.UTC(2026, 7, 31, 9);
  const store = closing(await place.store({ now: () => new Date(at) }));
  const records: ActivityRecord[] = [];
  for (const entry of VARIED) {
    records.push(...(await store.append([{ ...CALL, ...entry }])));
    at += 25 * 60_000;
  }
  return records;
}

let year = 2040;

describe.each(usePlaces())("the store on %s", (_name, open) => {
  const place = (context: { skip: (reason: string) => never }) =>
    open((reason) => context.skip(reason));

  it("returns appended records in one chain that verifies", async (context) => {
    const store = closing(await (await place(context)).store());
    const hostile = "\u0000\u001b\ud800\u202e'\"\\\n%_😀";
    const entries = [{ ...CALL, tool: hostile, reason: hostile, duration_ms: 0.1 }, CALL, CALL];
    const both = await Promise.all([store.append(entries), store.append([CALL])]);
    const records = both.flat();
    expect(await store.readChain(store.chain)).toEqual(records);
    expect(await store.get(records[0]?.id.toLowerCase() ?? "")).toEqual(records[0]);
    expect(await store.get("nothing")).toBeUndefined();
    expect(verifyChain(records)).toMatchObject({ ok: true });
    expect(await verifyActivity(store)).toMatchObject({ ok: true, chains: 1, records: 4 });
    expect(await store.append([])).toEqual([]);
  });

  it("filters by outcome, in pages and in totals", async (context) => {
    const at = await place(context);
    await varied(at);
    const store = closing(await at.store());
    const unknown = { ...CALL, server: "a", tool: "x", outcome: "unknown" } as const;
    await store.append([unknown, { ...unknown, status: "blocked", decision: "blocked" }]);
    const reader = closing(await at.reader());
    const outcomes = async (outcome: string, more = {}) => {
      const input = { outcome, ...more };
      const { activities, total } = await reader.list(filter(input));
      expect(total).toBe(activities.length);
      const { calls } = await reader.summary(scope(input));
      return [activities.map((record) => record.outcome).sort(), calls["total"]];
    };
    expect(await outcomes("unknown")).toEqual([["unknown", "unknown"], 2]);
    expect(await outcomes("unknown", { status: "blocked" })).toEqual([["unknown"], 1]);
    expect(await outcomes("unknown", { server: "b" })).toEqual([[], 0]);
    expect(await outcomes("guard,violation")).toEqual([["guard", "violation"], 0]);
    expect(await outcomes("uncompilable")).toEqual([[], 0]);
  });

  it("commits concurrent appends together and in order", async (context) => {
    const store = closing(await (await place(context)).store());
    const appended = await Promise.all(
      Array.from({ length: 700 }, (_, n) => store.append([{ ...CALL, tool: `t${n}` }])),
    );
    const records = appended.flat();
    expect(records.map(({ tool }) => tool)).toEqual(records.map((_, n) => `t${n}`));
    expect(await store.readChain(store.chain)).toEqual(records);
    expect(verifyChain(records)).toMatchObject({ ok: true });
  });

  it("merges the shapes of results from all processes", async (context) => {
    const at = await place(context);
    let minute = 0;
    const now = (): Date => new Date(NOW.getTime() + minute * 60_000);
    const stores = [closing(await at.store({ now })), closing(await at.store({ now }))];
    const key = { server: "crm", tool: "find", schemaHash: "sha256:1", schema: "{}" };
    const entry = (value: unknown) => {
      const shape = emptyShape();
      addToShape(shape, value, shapeBudgetFor(shape));
      return { ...key, shape };
    };
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        stores[i % 2]?.shapes.add([
          entry({ id: i }),
          { ...entry({ old: true }), schemaHash: "sha256:0" },
          { ...entry([]), tool: "other" },
        ]),
      ),
    );
    minute = 1;
    await stores[0]?.shapes.add([entry({ id: "x" })]);
    const reader = closing(await at.reader());
    const [latest, before, ...others] = await reader.drift("crm", "find");
    expect(others).toEqual([]);
    expect(latest).toMatchObject({ ...key, shape: { count: 21 } });
    expect([...(latest?.shape.members.get("id")?.types ?? [])]).toEqual([
      ["string", 1],
      ["integer", 20],
    ]);
    expect(before?.schemaHash).toBe("sha256:0");
    expect(await reader.drift("crm", "nothing")).toEqual([]);
  });

  it("keeps the shapes under a tool's latest schemas", async (context) => {
    const at = await place(context);
    let minute = 0;
    const now = (): Date => new Date(NOW.getTime() + minute * 60_000);
    const store = closing(await at.store({ now }));
    const shape = emptyShape();
    addToShape(shape, {}, shapeBudgetFor(shape));
    const entry = { server: "crm", tool: "find", schema: "{}", shape };
    await store.shapes.add([{ ...entry, tool: "other", schemaHash: "sha256:0" }]);
    for (; minute < 15; minute += 1) {
      await store.shapes.add([{ ...entry, schemaHash: `sha256:${minute}` }]);
    }
    await store.append([CALL]);
    const reader = closing(await at.reader());
    const kept = await reader.drift("crm", "find");
    const last = Array.from({ length: 10 }, (_, n) => `sha256:${14 - n}`);
    expect(kept.map(({ schemaHash }) => schemaHash)).toEqual(last);
    expect(await reader.drift("crm", "other")).toHaveLength(1);
    // Even if the clock is set back, new records are newer than old ones.
    minute = 0;
    await store.shapes.add([{ ...entry, schemaHash: "sha256:new" }]);
    const after = await reader.drift("crm", "find");
    expect(after.map(({ schemaHash }) => schemaHash)).toEqual([...last.slice(0, 9), "sha256:new"]);
  });

  it("gives every process start a chain, and returns all of them", async (context) => {
    const at = await place(context);
    const stores = [
      closing(await at.store()),
      closing(await at.store()),
      closing(await at.store()),
    ];
    await Promise.all(
      stores.flatMap((store, n) =>
        Array.from({ length: 30 }, () => store.append([{ ...CALL, server: `s${n}` }])),
      ),
    );
    const reader = closing(await at.reader());
    expect((await reader.list(filter())).total).toBe(90);
    expect((await reader.list(filter({ server: "s1" }))).total).toBe(30);
    expect((await reader.chains()).map(({ chain, records }) => [chain, records])).toEqual(
      stores.map(({ chain }) => [chain, 30]).sort(),
    );
    expect(await verifyActivity(reader)).toMatchObject({ ok: true, chains: 3, records: 90 });
  });

  it("filters like the pure function, with totals and pages", async (context) => {
    const at = await place(context);
    const records = await varied(at);
    const reader = closing(await at.reader());
    const one = (...values: string[]) => fc.constantFrom(...values);
    const inputs = fc.record(
      {
        type: one("tool_call", "policy_decision", "policy_decision,system_stop", "config_change"),
        server: one("a", "b", "none"),
        tool: one("x", "y"),
        direction: one("input", "output,protocol"),
        decision: one("warning", "blocked", "warning,blocked"),
        status: one("success", "warning,blocked"),
        session: one("id", `sha256:${"1".repeat(64)}`),
        request: one("r1", "none"),
        since: one("2026-08-31T09:00:00Z", "2026-08-31T09:25:00Z", "2026-08-31T10:15:00.001Z"),
        until: one("2026-08-31T10:40:00Z", "2026-08-31T11:00:00Z", "2026-08-31T11:55:00Z"),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(inputs, fc.integer({ min: 1, max: 4 }), async (input, limit) => {
        const expected = records.filter((record) => isInScope(record, scope(input))).reverse();
        const seen: ActivityRecord[] = [];
        let cursor: string | null = null;
        do {
          const more: Record<string, string> = cursor === null ? {} : { cursor };
          const page = await reader.list(filter({ ...input, ...more, limit: String(limit) }));
          expect(page.total).toBe(expected.length);
          seen.push(...page.activities);
          cursor = page.next_cursor;
        } while (cursor !== null);
        expect(seen).toEqual(expected);
        expect(await reader.scan(scope(input), { limit: 99 })).toEqual(expected.toReversed());
        // A statement is released in a turn of the event loop, and SQLite alone never causes one.
        await setImmediate();
      }),
      { numRuns: RUNS ?? 60 },
    );
  });

  it("finds records from when the clock was set back", async (context) => {
    const at = await place(context);
    let hour = 15;
    const store = closing(await at.store({ now: () => new Date(Date.UTC(2026, 7, 31, hour)) }));
    await store.append([{ ...CALL, tool: "late" }]);
    hour = 9;
    const [early] = await store.append([{ ...CALL, tool: "early" }]);
    const page = await store.list(filter({ until: "2026-08-31T10:00:00Z" }));
    expect(page).toMatchObject({ total: 1, activities: [early] });
    expect((await store.list(filter({ since: "2026-08-31T10:00:00Z" }))).total).toBe(1);
  });

  it("returns a summary", async (context) => {
    const at = await place(context);
    await varied(at);
    const reader = closing(await at.reader());
    expect(await reader.summary(scope({ period: "4h" }))).toMatchObject({
      since: "2026-08-31T08:00:00.000Z",
      until: null,
      records: 8,
      types: { tool_call: 3, policy_decision: 4, system_stop: 1 },
      calls: { total: 3, success: 1, warning: 1, blocked: 1 },
      decisions: { warning: 3, blocked: 1 },
      tools: [
        { server: "a", tool: "x", calls: 1, success: 1, mean_ms: 4 },
        { server: "a", tool: "y", calls: 1, warning: 1 },
        { server: "b", tool: "x", calls: 1, blocked: 1 },
      ],
      tools_left_out: 0,
      rules_left_out: 0,
    });
    const { rules } = await reader.summary(scope({ server: "a" }));
    expect(rules.map(({ rule, records }) => [rule, records])).toEqual([
      ["extra", 1],
      ["guard", 1],
      ["type", 1],
    ]);
  });

  it("reports what strict would have blocked, once per call", async (context) => {
    const at = await place(context);
    await varied(at);
    const reader = closing(await at.reader());
    const rollout = await reader.rollout(scope());
    expect(rollout).toMatchObject({ calls: 3, would_block: 2, other_messages: 1, not_known: 1 });
    expect(
      rollout.offences.map((of) => [of.server, of.tool, of.direction, of.rule, of.calls]),
    ).toEqual([
      ["a", "y", "input", "extra", 1],
      ["a", "y", "input", "type", 1],
      ["a", "y", "output", "guard", 1],
      ["b", null, "protocol", "protocol", 1],
      ["b", "x", "protocol", null, 1],
    ]);
    expect(await reader.rollout(scope({ server: "b" }))).toMatchObject({
      calls: 1,
      would_block: 1,
    });
  });

  it("counts repairs by tool, kind and place, despite bodies and damaged rows", async (context) => {
    const at = await place(context);
    const store = closing(await at.store({ bodies: { maxBytes: 1_000 } }));
    const repaired = (n: number, repairs: string): ActivityEntry => ({
      ...{ type: "policy_decision", source: "gateway", server: "a", tool: "x" },
      ...{ decision: "repaired", request_id: `r${n}`, repairs },
      patch: Buffer.from(`[{"op":"add","path":"/${n}","value":"\\"repairs\\":\\"x\\""}]`),
    });
    await store.append([
      repaired(1, 'coerce-scalars at /a"\\b/1'),
      repaired(2, 'coerce-scalars at /a"\\b/22; drop-nulls at /c'),
      repaired(3, "parse-json-strings at the root"),
      { ...repaired(4, "drop-nulls at /c"), tool: "damaged" },
      { ...CALL, server: "a", tool: "x" },
    ]);
    const reader = closing(await at.reader());
    expect(await reader.usage()).toMatchObject({ records: 5 });
    await at.query("UPDATE activity SET extra = '{' WHERE tool = 'damaged'");
    const found = await reader.repairs(scope());
    expect(found).toMatchObject({ calls: 1, repaired: 4, repairs_left_out: 0 });
    expect(found.repairs).toEqual([
      { server: "a", tool: "x", kind: "coerce-scalars", path: '/a"\\b/*', calls: 2 },
      { server: "a", tool: "x", kind: "drop-nulls", path: "/c", calls: 1 },
      { server: "a", tool: "x", kind: "parse-json-strings", path: "", calls: 1 },
    ]);
    expect(Object.keys(found.hints)).toEqual([
      ...["parse-json-strings", "coerce-scalars", "drop-nulls"],
    ]);
    expect(await reader.rollout(scope())).toMatchObject({ would_block: 0, repaired: 4 });
    expect(await reader.repairs(scope({ server: "b" }))).toMatchObject({ calls: 0, repairs: [] });
  });

  it("leaves faults that are never blocked out of the rollout", async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    const fault = (request_id: string, reason?: string): ActivityEntry => ({
      ...{ type: "policy_decision", source: "gateway", server: "a", direction: "protocol" },
      ...{ mode: "warn", decision: "warning", status: "warning", outcome: "violation" },
      ...{ request_id, reason, issues: [{ path: "/x", message: "bad", rule: "protocol" }] },
    });
    const warned = {
      decision: "warning",
      outcome: "violation",
      mode: "warn",
      record: true,
    } as const;
    const { reason } = notedDecision(warned, "/x bad");
    await store.append([
      fault("r1", reason),
      fault("r2", reason),
      fault("r3", "/x bad"),
      fault("r4", `/x bad; ${reason}`),
      fault("r5"),
      // An invalid request, and a note about its response.
      fault("r1", "/x bad"),
      { ...fault("r6", "/x bad"), tool: "x" },
    ]);
    const { would_block, other_messages, offences } = await closing(await at.reader()).rollout(
      scope(),
    );
    expect([would_block, other_messages]).toEqual([1, 4]);
    expect(offences.map(({ tool, calls }) => [tool, calls])).toEqual([
      [null, 4],
      ["x", 1],
    ]);
  });

  it("counts a rule in every record that has it, and lists the most frequent first", async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    const offence = (tool: string, ...rules: readonly Rule[]): ActivityEntry => ({
      ...{ type: "policy_decision", source: "gateway", server: "a", tool, direction: "input" },
      ...{ mode: "warn", decision: "warning", status: "warning", outcome: "violation" },
      request_id: rules.join(),
      issues: rules.map((rule) => ({ path: "", message: "bad", rule })),
    });
    await store.append([
      offence("x", "type"),
      offence("y", "extra"),
      offence("z", "guard", "type"),
      offence("z", "guard"),
    ]);
    const { offences } = await closing(await at.reader()).rollout(scope());
    expect(offences.map(({ tool, rule, calls }) => [tool, rule, calls])).toEqual([
      ["z", "guard", 2],
      ["x", "type", 1],
      ["y", "extra", 1],
      ["z", "type", 1],
    ]);
  });

  it.for<readonly [change: Partial<ActivityEntry>, left: readonly string[]]>([
    [{ reason: "the tool has changed: description", mode: "strict" }, ["input", "output"]],
    [{ direction: "input" }, ["output"]],
    [{ direction: "output", mode: "strict" }, ["input"]],
    [{ both_schemas: true }, []],
    [{ both_schemas: true, mode: "strict" }, []],
  ])("leaves calls by earlier schemas out of the rollout: %j", async ([change, left], context) => {
    const at = await place(context);
    const store = closing(await at.store());
    const offence = (direction: "input" | "output"): ActivityEntry => ({
      ...{ type: "policy_decision", source: "gateway", server: "a", tool: "x", direction },
      ...{ mode: "warn", decision: "warning", status: "warning", outcome: "violation" },
      request_id: direction,
      issues: [{ path: "", message: "bad", rule: "type" }],
    });
    await store.append([offence("input"), offence("output")]);
    const changed = { type: "schema_change", source: "gateway", server: "a", tool: "x" } as const;
    await store.append([{ ...changed, ...change }]);
    const { offences } = await closing(await at.reader()).rollout(scope());
    expect(offences.map(({ direction }) => direction).toSorted()).toEqual(left);
  });

  it("leaves issues that the given settings excuse out of the rollout", async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    const offence = (
      request_id: string,
      tool: string,
      ...rules: readonly Rule[]
    ): ActivityEntry => ({
      ...{ type: "policy_decision", source: "gateway", server: "a", tool, direction: "output" },
      ...{ mode: "warn", decision: "warning", status: "warning", outcome: "violation" },
      request_id,
      issues: rules.map((rule) => ({ path: "", message: "bad", rule })),
    });
    await store.append([
      offence("r1", "x", "extra"),
      offence("r2", "x", "extra", "type"),
      offence("r3", "x", "type", "extra", "format"),
      { ...offence("r4", "x", "extra"), direction: "input" },
      { ...offence("r5", "x", "extra"), server: "b" },
      offence("r6", "y", "extra"),
      offence("r7", "it's", "extra"),
      offence("r8", "it's", "guard"),
      offence("r9", "x"),
      { ...offence("r10", "x", "extra"), direction: "protocol", tool: undefined },
    ]);
    const reader = closing(await at.reader());
    const excuse = (rules: readonly SchemaRule[], server?: string, tool?: string): Exemption => ({
      ...{ direction: "output", server, tool, rules },
    });
    const excuses = [
      excuse(["type", "extra"], "a", "x"),
      excuse(["guard"], "a", "it's"),
      excuse(["extra"], "a"),
    ];
    const { would_block, other_messages, offences } = await reader.rollout(scope(), {
      excuses,
      modes: [],
    });
    expect([would_block, other_messages]).toEqual([5, 1]);
    const told = offences.map(({ server, tool, direction, rule, calls }) =>
      [server, tool, direction, rule, calls].join(" "),
    );
    expect(told).toEqual([
      "a  protocol extra 1",
      "a it's output extra 1",
      "a x input extra 1",
      "a x output  1",
      "a x output format 1",
      "b x output extra 1",
    ]);
    expect((await reader.rollout(scope(), { excuses: [], modes: [] })).would_block).toBe(9);
  });

  it("suggests the narrowest places, and leaves out what rules for places excuse", async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    let n = 0;
    const found = (tool: string, issues: readonly Partial<Issue>[], more = {}): ActivityEntry => ({
      ...{ type: "policy_decision", source: "gateway", server: "a", tool, direction: "input" },
      ...{ mode: "warn", decision: "warning", status: "warning", outcome: "violation" },
      ...more,
      request_id: `r${n++}`,
      issues: issues.map((issue) => ({ path: "", message: "bad", rule: "type", ...issue })),
    });
    const union = [
      { path: "/u/a", rule: "required", keyword: "required" },
      { path: "/u", keyword: "type" },
      { path: "/u", rule: "value", keyword: "anyOf" },
    ] as const;
    await store.append([
      found("places", [{ path: "/items/0/id" }, { path: "/items/12/id" }, { path: "/n" }]),
      found("places", [{ path: "/a~1*b/*", rule: "extra" }]),
      found("union", [{ path: "/x", rule: "extra" }, ...union]),
      found("if", [
        { path: "/b", rule: "required", keyword: "required" },
        { path: "", rule: "value", keyword: "if" },
      ]),
      found("whole", [{ path: "", rule: "value", keyword: "minProperties" }, { path: "/n" }]),
      found("cut", [{ path: "/n" }], { truncated: 3 }),
      found(
        "many",
        Array.from({ length: 21 }, (_, i) => ({ path: `/k${i}` })),
      ),
      found("guard", [{ path: "", rule: "guard" }], { outcome: "guard" }),
      found("undeclared", [{ path: "/cty", rule: "extra", keyword: "undeclared" }]),
      found("undeclared", [{ path: "/depth", rule: "extra", keyword: "undeclared" }]),
      found("mixed", [
        { path: "/cty", rule: "extra", keyword: "undeclared" },
        { path: "/m", rule: "extra", keyword: "additionalProperties" },
      ]),
      found("beside", [{ path: "/cty", rule: "extra", keyword: "undeclared" }, { path: "/o" }]),
    ]);
    const reader = closing(await at.reader());
    const { offences } = await reader.rollout(scope());
    expect(
      offences.flatMap(({ tool, undeclared }) => (undeclared ? [[tool, undeclared]] : [])),
    ).toEqual([
      ["undeclared", "all"],
      ["beside", "all"],
      ["mixed", "some"],
    ]);
    const places = (all: typeof offences) =>
      Object.fromEntries(all.map((one) => [`${one.tool} ${one.rule}`, one.places.join(" ")]));
    expect(places(offences)).toEqual({
      "places type": "/items/*/id /n",
      "places extra": "/a~1*b/~2",
      "union extra": "/x",
      "union required": "/u",
      "union type": "/u",
      "union value": "/u",
      "if required": "/b",
      "if value": "/b",
      "whole value": "",
      "whole type": "/n",
      "cut type": "",
      "many type": "",
      "guard guard": "",
      "undeclared extra": "",
      "mixed extra": "/m",
      "beside extra": "",
      "beside type": "/o",
    });
    const rules = {
      "/items/*/id": "warning",
      "/n": "ignore",
      "/u": "warning",
      extra: "warning",
      "/b": "warning",
    } as const;
    const excuse: Exemption = {
      direction: "input",
      server: "a",
      tool: undefined,
      rules: [],
      places: rules,
    };
    const left = await reader.rollout(scope(), { excuses: [excuse], modes: [] });
    const toolsOf = (all: typeof offences) => [...new Set(all.map(({ tool }) => tool))].sort();
    expect([left.would_block, toolsOf(left.offences)]).toEqual([
      8,
      ["beside", "cut", "guard", "many", "mixed", "undeclared", "whole"],
    ]);
    const without = await reader.rollout(scope(), {
      excuses: [{ ...excuse, undeclared: "warning" }],
      modes: [],
    });
    expect([without.would_block, toolsOf(without.offences)]).toEqual([
      5,
      ["beside", "cut", "guard", "many", "whole"],
    ]);
    // A call that strict blocks is only listed under the issues that settings do not exempt.
    const beside = without.offences.filter(({ tool }) => tool === "beside");
    expect(places(beside)).toEqual({ "beside type": "/o" });
    const strict = { ...excuse, places: { ...rules, "/x": "violation" } } as const;
    expect(
      places(
        (await reader.rollout(scope({ tool: "union" }), { excuses: [strict], modes: [] })).offences,
      ),
    ).toMatchObject({
      "union extra": "/x",
    });
  });

  it("accepts settings of more tools than a query can hold", {
    timeout: 120_000,
  }, async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    await store.append([CALL]);
    const reader = closing(await at.reader());
    const excuses = Array.from(
      { length: 9_000 },
      (_, n): Exemption => ({
        ...{ direction: "output", server: "a", tool: `t${n}`, rules: ["extra", "type", "guard"] },
      }),
    );
    expect(await reader.rollout(scope(), { excuses, modes: [] })).toMatchObject({
      calls: 1,
      would_block: 0,
    });
  });

  it("says how many it leaves out if clients make up tool names", long, async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    const named = (tool: string): readonly ActivityEntry[] => {
      const of = {
        source: "gateway",
        server: "a",
        tool,
        direction: "input",
        mode: "warn",
      } as const;
      const issues = [{ path: "", message: "bad", rule: "type" as const }];
      const call = { ...of, status: "warning", request_id: tool, duration_ms: 2 } as const;
      const decided = { decision: "warning", outcome: "violation", request_id: tool } as const;
      return [
        { type: "tool_call", ...call },
        { type: "policy_decision", status: "warning", ...of, ...decided, issues },
      ];
    };
    const names = Array.from({ length: 1_005 }, (_, n) => `t${String(n).padStart(4, "0")}`);
    await store.append([...names.flatMap(named), ...named("t0009"), ...named("t1004")]);
    const reader = closing(await at.reader());
    const summary = await reader.summary(scope());
    expect([summary.tools.length, summary.tools_left_out]).toEqual([500, 505]);
    expect(summary.servers_left_out).toBe(0);
    expect(summary.servers).toMatchObject([{ calls: 1_007, warning: 1_007, blocked: 0 }]);
    const [{ p95_ms } = { p95_ms: null }] = summary.servers;
    expect(Math.abs((p95_ms ?? 0) - 2)).toBeLessThan(0.11);
    expect([summary.rules.length, summary.rules_left_out]).toEqual([100, 905]);
    expect(summary.tools.slice(0, 3)).toMatchObject([
      { tool: "t0009", calls: 2, warning: 2, success: 0, mean_ms: 2 },
      { tool: "t1004", calls: 2 },
      { tool: "t0000", calls: 1 },
    ]);
    expect(summary.calls).toEqual({ total: 1_007, warning: 1_007 });
    const rollout = await reader.rollout(scope());
    expect(rollout).toMatchObject({ calls: 1_007, would_block: 1_005, offences_left_out: 5 });
    expect(rollout.offences).toHaveLength(1_000);
    expect(rollout.offences.at(-1)).toMatchObject({ tool: "t0999", calls: 1 });
  });

  it("follows commits of all processes, each record once", async (context) => {
    const at = await place(context);
    const stores = [closing(await at.store()), closing(await at.store())];
    const reader = closing(await at.reader());
    const start = await reader.tail(undefined, 10);
    expect(start.records).toEqual([]);
    const written = new Set<string>();
    const seen: string[] = [];
    let { position } = start;
    const drain = async (): Promise<void> => {
      for (;;) {
        const step = await reader.tail(position, 7);
        seen.push(...step.records.map(({ id }) => id));
        expect(step.positions.at(-1) ?? position).toBe(step.position);
        position = step.position;
        if (step.records.length === 0) return;
      }
    };
    for (let round = 0; round < 5; round += 1) {
      const appended = Promise.all(
        stores.flatMap((store) => [store.append([CALL, CALL]), store.append([CALL])]),
      );
      await drain();
      for (const { id } of (await appended).flat()) written.add(id);
    }
    // An open transaction of another test delays records, since it may still insert a record before them.
    const all = async (): Promise<number> => {
      await drain();
      return seen.length;
    };
    await expect.poll(all, { timeout: 20_000 }).toBe(written.size);
    expect(new Set(seen)).toEqual(written);
    expect((await reader.tail("nonsense", 7)).records).toEqual([]);
  });

  it("prunes by age and number, and the rest still verifies", async (context) => {
    const at = await place(context);
    // Ids only increase within a process, so this uses a future year that no other test has used.
    year += 1;
    let now = Date.UTC(year, 7, 1);
    const stores = [];
    for (let n = 0; n < 3; n += 1)
      stores.push(closing(await at.store({ now: () => new Date(now) })));
    for (let day = 0; day < 20; day += 1) {
      for (const store of stores) await store.append(Array.from({ length: 20 }, () => CALL));
      now += 86_400_000;
    }
    const pruner = closing(await at.pruner(() => new Date(now)));
    expect(await pruner.prune({})).toEqual({ removed: 0 });
    expect(await pruner.prune({ maxAgeMs: 10 * 86_400_000 })).toEqual({ removed: 600 });
    expect(await pruner.prune({ maxRecords: 250 })).toEqual({ removed: 350 });
    expect(await pruner.prune({ maxRecords: 250, maxAgeMs: 10 * 86_400_000 })).toEqual({
      removed: 0,
    });
    const reader = closing(await at.reader());
    expect(await reader.usage()).toMatchObject({ records: 250, bytes: expect.any(Number) });
    expect((await reader.list(filter())).total).toBe(250);
    expect(await verifyActivity(reader)).toMatchObject({ ok: true, records: 250, pruned: 950 });
    await stores[0]?.append([CALL]);
    expect(await verifyActivity(reader)).toMatchObject({ ok: true, records: 251 });
  });

  it("prunes what existed at the start, even if records keep arriving", long, async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    const group = Array.from({ length: 600 }, () => CALL);
    await store.append(group);
    await store.append(group);
    const pruner = closing(await at.pruner());
    let pruning = true;
    const pruned = pruner.prune({ maxRecords: 100 }).finally(() => {
      pruning = false;
    });
    let more = 0;
    while (pruning && more < 3_000) {
      await store.append(group);
      more += group.length;
    }
    const { removed } = await pruned;
    // Records that were added before it counted are among the excess.
    expect(removed).toBeGreaterThanOrEqual(1_100);
    expect((await store.usage()).records).toBe(1_200 + more - removed);
    expect(await verifyActivity(store)).toMatchObject({ ok: true });
  });

  it(
    "keeps the configured number even if several processes prune at once",
    long,
    async (context) => {
      const at = await place(context);
      const store = closing(await at.store());
      for (let n = 0; n < 10; n += 1) await store.append(Array.from({ length: 600 }, () => CALL));
      const pruners = await Promise.all(
        Array.from({ length: 4 }, async () => closing(await at.pruner())),
      );
      // If several run at once, one does the work; the others stop, and begin again as long as records are removed.
      const counts = pruners.map(async (pruner) => {
        let removed = 0;
        while ((await store.usage()).records > 100) {
          removed += (await pruner.prune({ maxRecords: 100 })).removed;
        }
        return removed;
      });
      const removed = (await Promise.all(counts)).reduce((sum, count) => sum + count);
      expect(removed).toBe(5_900);
      expect(await verifyActivity(store)).toMatchObject({ ok: true, records: 100, pruned: 5_900 });
    },
  );

  it("can prune every record", async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    await store.append(Array.from({ length: 150 }, () => CALL));
    const pruner = closing(await at.pruner());
    expect(await pruner.prune({ maxRecords: 0 })).toEqual({ removed: 150 });
  });

  it("prunes by size but keeps one record", async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    await store.append(
      Array.from({ length: 400 }, () => ({ ...CALL, reason: randomBytes(1000).toString("hex") })),
    );
    const pruner = closing(await at.pruner());
    expect((await pruner.prune({ maxBytes: 700_000 })).removed).toBeGreaterThan(100);
    const { records } = await store.usage();
    expect(records).toBeGreaterThan(50);
    expect(await pruner.prune({ maxBytes: 1 })).toEqual({ removed: records - 1 });
    expect(await verifyActivity(store)).toMatchObject({ ok: true, records: 1 });
  });

  it("stores bodies only if configured, without their secrets", async (context) => {
    const at = await place(context);
    const entry = {
      ...CALL,
      arguments: Buffer.from('{"city":"Rome","api_key":"k","n":9007199254740993}'),
      result: Buffer.from('{"text":"Bearer abcdefghijklmnop"}'),
      reason: "sent sk-abcdefghijklmnopqrstuv along",
    };
    const without = closing(await at.store());
    const [bare] = await without.append([entry]);
    expect(bare).not.toHaveProperty("arguments");
    expect(bare).toMatchObject({ reason: "sent [redacted] along", redactions: 1 });
    const store = closing(await at.store({ bodies: { maxBytes: 1000 } }));
    const [record] = await store.append([entry]);
    expect(record).toMatchObject({
      arguments: '{"city":"Rome","api_key":"[redacted]","n":9007199254740993}',
      result: '{"text":"[redacted]"}',
      redactions: 3,
    });
    expect(await store.get(record?.id ?? "")).toEqual(record);
    expect(await verifyActivity(store)).toMatchObject({ ok: true });
  });

  it("refuses work after close", async (context) => {
    const store = await (await place(context)).store();
    const pending = store.append([CALL]);
    await store.close();
    expect(await pending).toHaveLength(1);
    await expect(store.append([CALL])).rejects.toMatchObject({ code: "CLOSED" });
    await expect(store.list(filter())).rejects.toMatchObject({ code: "CLOSED" });
    await store.close();
  });
});
