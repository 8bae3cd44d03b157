import { describe, expect, it } from "vitest";
import { split } from "../../core/src/testing/sample.ts";
import { parseCallerFilter, parseSessionFilter } from "./caller-filter.ts";
import { idTime, nextId } from "./ids.ts";
import type { ActivityEntry, ActivityStatus } from "./record.ts";
import type { ActivityStore } from "./store.ts";
import { closing, type StoreUnderTest, usePlaces } from "./testing/places.ts";

const NOW = new Date("2026-08-31T12:00:00Z");
const sessions = (input: Record<string, string> = {}) => parseSessionFilter(input, NOW);
const callers = (input: Record<string, string> = {}) => parseCallerFilter(input, NOW);

interface Made {
  /** Minutes before now. */
  readonly ago: number;
  readonly caller?: string;
  readonly client?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly status?: ActivityStatus;
}

const entry = ({
  caller,
  client,
  server = "files",
  tool = "read",
  status,
}: Made): ActivityEntry => ({
  ...{ type: "tool_call", source: "gateway", server, tool, client, caller },
  ...{ direction: "input", mode: "strict", decision: "allowed", status: status ?? "success" },
});

/** Alice works twice with one client on two servers, Bob once, and an unidentified caller once. */
const MADE: readonly Made[] = [
  { ago: 240, caller: "alice", client: "code/2", server: "crm", tool: "find" },
  { ago: 211, caller: "alice", client: "code/2", status: "blocked" },
  // 30 minutes later: a new session. Calls with another client in between make no difference.
  { ago: 200, caller: "alice", client: "desktop/1" },
  { ago: 181, caller: "alice", client: "code/2" },
  { ago: 60, client: "code/2", status: "limited" },
  { ago: 59, client: "code/2", server: "crm", tool: "find" },
  { ago: 58 },
  { ago: 20, caller: "bob", client: "code/2", status: "error" },
  { ago: 0.5, caller: "bob", client: "code/2", status: "rejected" },
  { ago: 0.25, caller: "bob", client: "code/2" },
];

for (const [places, options] of split(usePlaces(), 1))
  describe.each(places)("callers in %s", options, (_, open) => {
    interface Filled {
      readonly at: StoreUnderTest;
      readonly store: ActivityStore;
    }

    async function filled(skip: (reason: string) => never, now: Date = NOW): Promise<Filled> {
      let time = now.getTime() - 300 * 60_000;
      const at = await open(skip);
      const store = closing(await at.store({ now: () => new Date(time) }));
      for (const one of MADE) {
        time = now.getTime() - one.ago * 60_000;
        await store.append([entry(one)]);
      }
      return { at, store };
    }

    const roll = async (at: StoreUnderTest): Promise<void> => {
      const pruner = await at.pruner();
      await pruner.rollUp();
      await pruner.close();
    };

    it.for([false, true])(
      "have sessions over all servers, until half an hour without a call; rolled up: %s",
      async (isRolled, { skip }) => {
        const { at, store } = await filled(skip);
        if (isRolled) await roll(at);
        const page = await store.sessions(sessions());
        expect(page).toMatchObject({ total: 6, gap_minutes: 30, counted_from: null, uncounted: 0 });
        expect(
          page.sessions.map((one) => [one.caller, one.client, one.servers.join(" "), one.calls]),
        ).toEqual([
          ["bob", "code/2", "files", 3],
          [null, null, "files", 1],
          [null, "code/2", "crm files", 2],
          ["alice", "code/2", "files", 1],
          ["alice", "desktop/1", "files", 1],
          ["alice", "code/2", "crm files", 2],
        ]);
        expect(page.sessions.at(-1)).toMatchObject({
          ...{ first: "2026-08-31T08:00:00.000Z", last: "2026-08-31T08:29:00.000Z" },
          ...{ blocked: 1, error: 0, limited: 0, may_begin_earlier: false },
        });
        expect(page.sessions[0]).toMatchObject({ error: 1, limited: 1, blocked: 0 });
      },
    );

    it("have sessions that are filtered, sorted and read page by page", async ({ skip }) => {
      const { store } = await filled(skip);
      const found = async (input: Record<string, string>) =>
        (await store.sessions(sessions(input))).sessions.map(({ last }) => last.slice(11, 16));
      expect(await found({ caller: "alice", client: "code/2" })).toEqual(["08:59", "08:29"]);
      expect(await found({ server: "crm" })).toEqual(["11:01", "08:29"]);
      expect(await found({ q: "DESK" })).toEqual(["08:40"]);
      expect(await found({ sort: "length" })).toEqual([
        "08:29",
        "11:59",
        "11:01",
        "11:02",
        "08:59",
        "08:40",
      ]);
      expect(await found({ sort: "calls", order: "asc", limit: "2" })).toEqual(["08:40", "08:59"]);
      expect(await found({ since: "2026-08-31T09:10:00Z" })).toEqual(["11:59", "11:02", "11:01"]);
      expect(await found({ until: "2026-08-31T08:20:00Z" })).toEqual(["08:29"]);
      const all: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await store.sessions(
          sessions({ sort: "blocked", limit: "1", ...(cursor === "" ? {} : { cursor }) }),
        );
        all.push(...page.sessions.map(({ last }) => last.slice(11, 16)));
        cursor = page.next_cursor;
      }
      expect(all).toEqual(["08:29", "11:59", "11:02", "11:01", "08:59", "08:40"]);
      // If an agent worked before and after the start of the requested time, its earlier calls are unknown.
      const [late] = (
        await store.sessions(sessions({ since: "2026-08-31T08:45:00Z" }))
      ).sessions.filter(({ caller }) => caller === "alice");
      expect(late).toMatchObject({ calls: 1, may_begin_earlier: true });
      await expect(store.sessions(sessions({ cursor: "eA" }))).rejects.toMatchObject({
        code: "BAD_FILTER",
      });
    });

    it.for([false, true])("are counted; rolled up: %s", async (isRolled, { skip }) => {
      const { at, store } = await filled(skip);
      if (isRolled) await roll(at);
      const page = await store.callers(callers());
      expect(page).toMatchObject({ total: 4, since: null, counted_from: null, uncounted: 0 });
      expect(
        page.callers.map((row) => [row.caller, row.clients, row.calls, row.tool_count]),
      ).toEqual([
        ["bob", ["code/2"], 3, 1],
        [null, [], 1, 1],
        [null, ["code/2"], 2, 2],
        ["alice", ["code/2", "desktop/1"], 4, 2],
      ]);
      expect(page.callers[0]).toMatchObject({
        ...{ calls_last_minute: 1, limited: 1, error: 1, last: "2026-08-31T11:59:45.000Z" },
      });
      expect(page.callers[3]).toMatchObject({
        ...{ calls_last_minute: 0, blocked: 1, first: "2026-08-31T08:00:00.000Z" },
        tools: [
          { server: "files", tool: "read", calls: 3 },
          { server: "crm", tool: "find", calls: 1 },
        ],
      });
      expect(page.callers[1]).toMatchObject({ calls_last_minute: null });
      const busy = await store.callers(callers({ sort: "calls", q: "find", period: "1h" }));
      expect(busy.callers.map(({ caller, calls }) => [caller, calls])).toEqual([[null, 2]]);
      expect(busy.since).toBe("2026-08-31T11:00:00.000Z");
    });

    it("are not counted twice, also by a build that does not know them", async ({ skip }) => {
      const { at, store } = await filled(skip);
      await roll(at);
      await roll(at);
      // As if an earlier build had rolled these records up.
      await at.query("DELETE FROM caller_rollup");
      await at.query("DELETE FROM caller_rollup_chains");
      const before = await store.callers(callers());
      await roll(at);
      expect(await store.callers(callers())).toEqual(before);
      expect(before.callers.reduce((sum, { calls }) => sum + calls, 0)).toBe(MADE.length);
    });

    it("are counted from the first whole half hour after retention", async ({ skip }) => {
      // Later than each id that this process has made.
      const hour = 3_600_000;
      const now = new Date((Math.ceil(idTime(nextId(new Date())) / hour) + 5) * hour);
      const { at, store } = await filled(skip, now);
      await roll(at);
      const pruner = await at.pruner(() => now);
      await pruner.prune({ maxRecords: 8 });
      await pruner.rollUp();
      await pruner.close();
      // The second removed call was 211 minutes ago.
      const from = new Date(now.getTime() - 3.5 * hour).toISOString();
      const page = await store.callers(parseCallerFilter({}, now));
      expect(page.counted_from).toBe(from);
      expect(page.callers.find(({ caller }) => caller === "alice")).toMatchObject({ calls: 2 });
      const rows = await at.query(
        `SELECT count(*) AS rows FROM caller_rollup WHERE slot < '${from.slice(0, 15)}'`,
      );
      expect(Number((rows[0] as { rows: number }).rows)).toBe(0);
      const [oldest] = (await store.sessions(sessions({ sort: "last", order: "asc" }))).sessions;
      expect(oldest).toMatchObject({ client: "desktop/1", may_begin_earlier: true });
    });

    it("read the latest half hours if there are too many rows", { timeout: 60_000 }, async ({
      skip,
    }) => {
      const { at, store } = await filled(skip);
      await roll(at);
      const slot = `'2026-08-30T' || CASE WHEN n % 24 < 10 THEN '0' ELSE '' END || CAST(n % 24 AS TEXT) || ':0'`;
      await at.query(
        `INSERT INTO caller_rollup WITH RECURSIVE numbers(n) AS
          (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 50999)
        SELECT ${slot}, 'c', '', 's', 't' || CAST(n AS TEXT), 1, 0, 0, 0, 0, 0, 0, 0,
          '2026-08-30T00:00:00.000Z', '2026-08-30T00:00:00.000Z' FROM numbers`,
      );
      const page = await store.callers(callers());
      expect(page.counted_from).toBe("2026-08-30T19:30:00.000Z");
      expect(page.callers.find(({ caller }) => caller === "c")?.calls).toBe(4 * 2_125);
      expect(page.callers.find(({ caller }) => caller === "alice")?.calls).toBe(4);
    });
  });

describe("filters of sessions and callers", () => {
  it.each([
    [{ sort: "tools" }, /^sort: is none of last, calls, blocked, length/],
    [{ order: "up" }, /^order: is none of/],
    [{ limit: "201" }, /^limit: /],
    [{ status: "blocked" }, /^status: is not a filter here/],
    [{ q: "x".repeat(257) }, /^q: is over 256/],
    [{ since: "1h", period: "1h" }, /^period: /],
  ])("refuse %j", (input, words) => {
    expect(() => sessions(input)).toThrow(words);
  });
});
