import { describe, expect, it } from "vitest";
import { split } from "../../core/src/testing/sample.ts";
import { joinDecisions, parseCallFilter, parseCallScope, parseSearch } from "./calls.ts";
import { exportActivity } from "./export/export.ts";
import { nextId } from "./ids.ts";
import { ACTIVITY_STATUSES, type ActivityEntry } from "./record.ts";
import type { ActivityStore } from "./store.ts";
import { closing, usePlaces } from "./testing/places.ts";

const NOW = new Date("2026-08-31T12:00:00Z");
const calls = (input: Record<string, string> = {}) => parseCallFilter(input, NOW);
const scope = (input: Record<string, string> = {}) => parseCallScope(input, NOW);
const SESSION = (digit: number): string => `sha256:${String(digit).repeat(64)}`;

/** A call, and the decision about it if there is one. */
function entries(at: number): readonly ActivityEntry[] {
  const status = at % 5 === 0 ? "blocked" : at % 7 === 0 ? "warning" : "success";
  const decision = status === "success" ? "allowed" : status;
  const common = {
    source: "gateway",
    server: at % 2 === 0 ? "even" : "odd",
    tool: `t${at % 3}`,
    client: at % 4 === 0 ? "four/1" : "rest/2",
    caller: at % 9 === 0 ? undefined : at % 4 === 1 ? "alice" : "bob",
    session: at % 6 === 0 ? undefined : SESSION(at % 3),
    request_id: `r${at}`,
    direction: "input",
    mode: "strict",
    decision,
    status,
  } as const;
  const call: ActivityEntry = {
    ...common,
    type: "tool_call",
    duration_ms: at,
    reason: status === "success" ? undefined : `/city_${at} is required`,
  };
  if (status === "success") return [call];
  const rule = at % 10 === 0 ? "type" : "required";
  const issue = { path: `/city_${at}`, message: "m", rule, keyword: rule } as const;
  const decided: ActivityEntry = {
    ...common,
    type: "policy_decision",
    reason: `/city_${at} is required`,
    issues: [issue, { ...issue, rule: "extra", keyword: "additionalProperties" }],
    response_text: status === "blocked" ? `Blocked ${at}.` : undefined,
  };
  return [decided, call];
}

const COUNT = 60;

function skipped(reason: string): never {
  throw new Error(reason);
}

for (const [places, options] of split(usePlaces(), 1))
  describe.each(places)("calls in %s", options, (_, place) => {
    /** Sixty calls, a minute apart, up to now. */
    async function filled(skip: (reason: string) => never): Promise<ActivityStore> {
      let time = NOW.getTime() - COUNT * 60_000;
      const store = closing(await (await place(skip)).store({ now: () => new Date(time) }));
      for (let at = 1; at <= COUNT; at += 1) {
        await store.append(entries(at));
        time += 60_000;
      }
      return store;
    }

    it("are one row each, with their decisions", async ({ skip }) => {
      const store = await filled(skip);
      const page = await store.calls(calls({ limit: "2", status: "blocked" }));
      expect(page).toMatchObject({ total: 12, limit: 2, searched_to: null });
      const [first] = page.calls;
      expect(first).toMatchObject({
        ...{ server: "even", tool: "t0", client: "four/1", status: "blocked", request_id: "r60" },
        ...{ issue: "/city_60: m", issues: 2, rules: ["type", "extra"] },
        ...{ duration_ms: 60, session: null },
      });
      expect(first?.decisions).toHaveLength(1);
      const next = await store.calls(
        calls({ limit: "2", status: "blocked", cursor: page.next_cursor ?? "" }),
      );
      expect(next.calls.map(({ request_id }) => request_id)).toEqual(["r50", "r45"]);
    });

    it("are exported with their decisions, under the filters of the list", async ({ skip }) => {
      const store = await filled(skip);
      const exported = async (input: Record<string, string>): Promise<readonly object[]> => {
        const lines: string[] = [];
        for await (const { text } of exportActivity(store, parseSearch(input, NOW), "jsonl")) {
          lines.push(...text.trimEnd().split("\n"));
        }
        return lines.map((line) => JSON.parse(line) as object);
      };
      const ofRule = await exported({ rule: "type", server: "even", since: "15m" });
      expect(ofRule).toMatchObject([
        { type: "policy_decision", request_id: "r50" },
        { type: "tool_call", request_id: "r50" },
        { type: "policy_decision", request_id: "r60" },
        { type: "tool_call", request_id: "r60" },
      ]);
      expect(await exported({ q: "CITY_55", type: "tool_call" })).toMatchObject([
        { request_id: "r55" },
      ]);
      expect(() => parseSearch({ rule: "city" }, NOW)).toThrow(/rule: .*is none of/);
    });

    it.each<[string, Record<string, string>, (at: number) => boolean]>([
      ["server and tool", { server: "odd", tool: "t1" }, (at) => at % 2 === 1 && at % 3 === 1],
      ["client", { client: "four/1" }, (at) => at % 4 === 0],
      ["caller", { caller: "alice" }, (at) => at % 9 !== 0 && at % 4 === 1],
      [
        "caller and server",
        { caller: "bob", server: "even" },
        (at) => at % 9 !== 0 && at % 2 === 0,
      ],
      ["text in a caller's name", { q: "ALIC" }, (at) => at % 9 !== 0 && at % 4 === 1],
      ["session", { session: SESSION(2) }, (at) => at % 6 !== 0 && at % 3 === 2],
      ["rule", { rule: "type" }, (at) => at % 10 === 0],
      [
        "rule and status",
        { rule: "extra", status: "warning" },
        (at) => at % 5 !== 0 && at % 7 === 0,
      ],
      [
        "text in the reason",
        { q: "CITY_5" },
        (at) => at === 5 || at === 50 || at === 55 || at === 56,
      ],
      ["text with a wildcard", { q: "city%5" }, () => false],
      ["text in a name", { q: "EVE", status: "blocked" }, (at) => at % 10 === 0],
      ["request", { request: "r7" }, (at) => at === 7],
      ["time", { since: "10m" }, (at) => at > 50],
      ["several tools", { query: "tool:t0,t2 server:odd" }, (at) => at % 2 === 1 && at % 3 !== 1],
      [
        "tools of some status",
        { query: "tool:t0,t2 status:blocked" },
        (at) => at % 5 === 0 && at % 3 !== 1,
      ],
      [
        "an excluded status",
        { query: "-status:success,blocked" },
        (at) => at % 5 !== 0 && at % 7 === 0,
      ],
      ["an excluded tool", { query: "-tool:t1 tool:t1,t2" }, (at) => at % 3 === 2],
      ["an excluded caller", { query: "-caller:alice" }, (at) => at % 9 === 0 || at % 4 !== 1],
      [
        "several callers",
        { query: "caller:alice,nobody -server:even" },
        (at) => at % 9 !== 0 && at % 4 === 1,
      ],
      [
        "an excluded class of issues",
        { query: "-rule:type status:blocked" },
        (at) => at % 5 === 0 && at % 10 !== 0,
      ],
      [
        "several classes of issues",
        { query: "rule:type,required" },
        (at) => at % 5 === 0 || at % 7 === 0,
      ],
      ["several texts", { query: "city_5 EVEN" }, (at) => at === 50 || at === 56],
      [
        "an excluded text",
        { query: "city_5 -city_55" },
        (at) => at === 5 || at === 50 || at === 56,
      ],
      ["a text with quotes", { query: '"CITY_5 is" required' }, (at) => at === 5],
    ])("are filtered by %s, page by page, in both orders", async (_name, input, meets) => {
      const store = await filled(skipped);
      const expected = Array.from({ length: COUNT }, (_all, at) => at + 1).filter(meets);
      for (const order of ["asc", "desc"]) {
        const found: (string | null)[] = [];
        let cursor: string | null = null;
        do {
          const page = await store.calls(
            calls({ ...input, order, limit: "4", ...(cursor === null ? {} : { cursor }) }),
          );
          if (page.total !== null) expect(page.total).toBe(expected.length);
          found.push(...page.calls.map(({ request_id }) => request_id));
          cursor = page.next_cursor;
        } while (cursor !== null);
        const ids = expected.map((at) => `r${at}`);
        expect(found).toEqual(order === "asc" ? ids : ids.toReversed());
      }
    });

    it("are found by hostile text in a query, or not at all", async ({ skip }) => {
      const store = await filled(skip);
      for (const text of [
        "%",
        "_",
        "\\",
        "'",
        "'; DROP TABLE activity; --",
        "\0",
        "\ud800",
        "$1",
        "?1",
        "a\u0000b",
      ]) {
        const value = `"${text.replace(/[\\"]/g, "\\$&")}"`;
        for (const query of [value, `tool:${value}`, `caller:x,${value}`]) {
          expect((await store.calls(calls({ query }))).calls, query).toHaveLength(
            query === '"_"' ? 19 : 0,
          );
        }
        expect(
          (await store.calls(calls({ query: `-tool:${value}`, limit: "200" }))).calls,
        ).toHaveLength(COUNT);
      }
    });

    it("are shown with their records, what the client received, and the neighboring calls", async ({
      skip,
    }) => {
      const store = await filled(skip);
      const { calls: rows } = await store.calls(calls({ status: "blocked" }));
      const at = (id: string) => rows.find(({ request_id }) => request_id === id);
      const [decision = ""] = at("r45")?.decisions ?? [];
      for (const id of [at("r45")?.id ?? "", decision]) {
        const detail = await store.call(id, calls({ status: "blocked" }));
        expect(detail).toMatchObject({
          call: at("r45"),
          received: "Blocked 45.",
          newer: at("r50")?.id,
          older: at("r40")?.id,
        });
        expect(detail?.records.map(({ type }) => type)).toEqual(["policy_decision", "tool_call"]);
        expect(detail?.next_attempt).toMatchObject({ request_id: "r51", tool: "t0" });
        expect(detail?.next_passed).toMatchObject({ request_id: "r51", status: "success" });
      }
      // The next call in its session is by another client, so the next call of the same caller counts. A call with a
      // warning was forwarded.
      const ofCaller = await store.call(at("r50")?.id ?? "", calls());
      expect(ofCaller?.next_attempt).toBeNull();
      expect(ofCaller?.next_passed).toMatchObject({ request_id: "r56", status: "warning" });
      const { id: passed = "" } = ofCaller?.next_passed ?? {};
      expect((await store.call(passed, calls()))?.next_passed).toBeNull();
      expect(await store.call(nextId(NOW), calls())).toBeUndefined();
    });

    it.each<[string, Record<string, string>, number]>([
      ["of an hour", { since: "1h" }, 60],
      ["of a day", { since: "24h" }, 60],
      ["of a filter", { since: "1h", status: "blocked" }, 12],
      ["of a search", { since: "1h", q: "city_5" }, 4],
    ])("are counted over time: %s", async (_name, input, total) => {
      const store = await filled(skipped);
      const histogram = await store.histogram(scope(input), { buckets: 30, now: NOW });
      expect(histogram.counted_from).toBeNull();
      expect(histogram.buckets.length).toBeLessThanOrEqual(30);
      const times = histogram.buckets.map(({ time }) => Date.parse(time));
      for (const [index, time] of times.entries()) {
        if (index > 0) expect(time - (times[index - 1] ?? 0)).toBe(histogram.bucket_ms);
      }
      expect(histogram.buckets.reduce((sum, bucket) => sum + bucket.calls, 0)).toBe(total);
      const ended = ACTIVITY_STATUSES.map((status) =>
        histogram.buckets.reduce((sum, bucket) => sum + bucket[status], 0),
      );
      expect(ended.reduce((sum, calls) => sum + calls)).toBe(total);
    });

    it("are summarized in an overview", async ({ skip }) => {
      const store = await filled(skip);
      const warned = {
        type: "policy_decision",
        source: "gateway",
        server: "odd",
        tool: "t1",
      } as const;
      const decided = { decision: "warning", status: "warning", mode: "warn" } as const;
      const repaired = { decision: "repaired", status: "repaired", mode: "strict" } as const;
      await store.append([
        { ...warned, ...decided, direction: "input", outcome: "violation", request_id: "w" },
        { ...warned, ...decided, direction: "output", outcome: "violation", request_id: "w" },
        // A repaired call ends with the status that the server determines, and is one of the sixty.
        { ...warned, ...repaired, direction: "input", outcome: "violation", request_id: "r1" },
        {
          type: "schema_change",
          source: "gateway",
          server: "odd",
          tool: "t1",
          reason: "tool added",
        },
      ]);
      const since = new Date(NOW.getTime() - 3_600_000);
      const until = new Date(NOW.getTime() + 1);
      const overview = await store.overview({ since, until, buckets: 61, excuses: [] });
      // The calls took 1 ms to 60 ms: these are the middles of the buckets of 30 ms and 57 ms.
      expect(overview.totals).toEqual({
        ...{ calls: 60, blocked: 12, would_block: 1, repaired: 1, errors: 0, error_rate: 0 },
        ...{ denied: 0, held: 0, out_of_bounds: 0, limited: 0, p50_ms: 29.44, p95_ms: 57.37 },
      });
      expect(overview.buckets.reduce((sum, { blocked }) => sum + blocked, 0)).toBe(12);
      expect(overview.buckets.at(-1)?.repaired).toBe(1);
      expect(overview.buckets.find(({ calls: made }) => made === 0)?.p50_ms ?? null).toBeNull();
      expect(overview.schema_changes).toMatchObject([{ tool: "t1", reason: "tool added" }]);
      expect(overview.failing_tools).toEqual([]);
      expect(overview.counted_from).toBeNull();
      const call = (tool: string, status: "success" | "error" | "held" | "limited" | "rejected") =>
        ({ type: "tool_call", source: "gateway", server: "s", tool, status }) as const;
      await store.append([
        ...(["success", "error", "held"] as const).map((status) => call("a", status)),
        ...(["rejected", "limited", "error", "limited"] as const).map((each) => call("b", each)),
      ]);
      const { failing_tools } = await store.overview({ since, until, buckets: 61, excuses: [] });
      const none = { server: "s", denied: 0, held: 0, out_of_bounds: 0, limited: 0 };
      expect(failing_tools).toEqual([
        { ...none, tool: "b", calls: 4, errors: 1, limited: 3 },
        { ...none, tool: "a", calls: 3, errors: 1, held: 1 },
      ]);
    });

    it("provide the known filter values, and are found by their process", async ({ skip }) => {
      const store = await filled(skip);
      const values = await store.values();
      expect(values).toMatchObject({
        servers: ["even", "odd"],
        clients: ["four/1", "rest/2"],
        callers: ["alice", "bob"],
        rules: ["extra", "required", "type"],
        complete: true,
      });
      expect(values.tools).toHaveLength(6);
      expect(values.sessions.toSorted()).toEqual([SESSION(0), SESSION(1), SESSION(2)]);

      const own = await store.calls(calls({ session: `process:${store.chain}` }));
      expect(own.calls.map(({ request_id }) => request_id)).toContain("r60");
      expect(own.calls).toHaveLength(10);
      const nobody = await store.calls(calls({ without: "caller" }));
      expect(nobody.calls.map(({ caller }) => caller)).toEqual(Array(6).fill(null));
      expect((await store.calls(calls({ without: "both" }))).calls).toEqual([]);
      const queried = await store.calls(calls({ query: "without:caller tool:t0" }));
      expect(queried.calls).toEqual(nobody.calls.filter(({ tool }) => tool === "t0"));
    });
  });

describe("filters of calls", () => {
  it.each([
    [{ rule: "nothing" }, /^rule: is none of/],
    [{ q: "x".repeat(257) }, /^q: is over 256/],
    [{ order: "up" }, /^order: is none of/],
    [{ without: "server" }, /^without: is none of caller, client, both/],
    [{ limit: "201" }, /^limit: /],
    [{ type: "tool_call" }, /^type: /],
    [{ query: "type:tool_call" }, /^query: "type" is not a filter/],
    [{ query: "status:blokced" }, /^query: status: "blokced" is not a value .did you mean blocked/],
    [{ query: "since:1h", period: "1h" }, /^query: since: is a filter beside the query/],
    [{ query: "since:yesterday" }, /^since: "yesterday" is not/],
    [{ query: 'tool:""' }, /^query: tool: must not be empty/],
  ])("reject %j", (input, message) => {
    expect(() => calls(input as Record<string, string>)).toThrow(message);
  });
});

it("a call that was rejected after it was repaired has no issue", () => {
  const issues = [{ path: "/n", message: "must be integer", rule: "type", keyword: "type" }];
  const decision = { id: "d", decision: "repaired", issues, repairs: "coerce-scalars at /n" };
  const record = { id: "x", issues: [], decision: "repaired", reason: "calls per minute" };
  const folded = (status: string) =>
    joinDecisions({ ...record, status } as never, [decision as never]);
  expect(folded("rejected")).toMatchObject({ issue: null, reason: "calls per minute", issues: 1 });
  expect(folded("success")).toMatchObject({ issue: "/n must be integer" });
});

it("a call without decisions has no issue", () => {
  const record = { id: "x", issues: [], rules: [] } as unknown as Parameters<
    typeof joinDecisions
  >[0];
  expect(joinDecisions(record, [])).toMatchObject({
    issue: null,
    issues: 0,
    rules: [],
    decisions: [],
  });
});
