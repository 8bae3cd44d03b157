import { createParser } from "eventsource-parser";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ActivityEntry, ActivityRecord } from "../../../../records/src/record.ts";
import type { ActivityStore } from "../../../../records/src/store.ts";
import { CALL, openTemp } from "../../../../records/src/testing/fixtures.ts";
import { createLogger } from "../../../../util/src/log.ts";
import { shapeOf } from "../../features/drift/testing/shapes.ts";
import { createApp } from "../../server/app.ts";
import { listen } from "../../server/listener.ts";
import type { Api } from "../../server/route.ts";
import { UnfinishedBodies } from "../../transport/http/unfinished-bodies.ts";
import { activityApi } from "./api.ts";

const NOW = new Date("2026-08-31T12:00:00Z");

interface Served {
  readonly store: ActivityStore;
  get(path: string, init?: RequestInit): Promise<Response>;
  json(path: string): Promise<Record<string, unknown>>;
}

/** Serves records with the gateway's app on a port. */
async function api(entries: readonly Partial<ActivityEntry>[] = []): Promise<Served> {
  const store = await openTemp();
  for (const entry of entries) await store.append([{ ...CALL, ...entry }]);
  const activity = activityApi(store, { now: () => NOW, events: { pollMs: 1 } });
  const log = createLogger(() => {}, "silent");
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    access: { allowedHosts: [], allowedOrigins: [] },
    idleMs: 5_000,
    maxRequestBytes: 1000,
    bodies: new UnfinishedBodies({
      limits: { unfinishedBytes: 1_000_000, requestBytes: 1_000 },
      log,
    }),
    endpoints: new Map(),
    app: createApp({ activity } as unknown as Api, log),
    log,
  });
  onTestFinished(async () => {
    await listener.close();
    await store.close();
  });
  const base = `http://127.0.0.1:${listener.port}/api/v1/activity`;
  const get = (path: string, init?: RequestInit) => fetch(base + path, init);
  return { store, get, json: async (path) => (await get(path)).json() };
}

const WARNED: Partial<ActivityEntry> = {
  type: "policy_decision",
  server: "crm",
  tool: "update",
  direction: "input",
  mode: "warn",
  decision: "warning",
  status: "warning",
  outcome: "violation",
  request_id: "r1",
  issues: [{ path: "/x", message: "must NOT have additional properties", rule: "extra" }],
};

describe("activityApi", () => {
  it("returns pages and records as the store does", async () => {
    const { get, json } = await api([{ tool: "a" }, { tool: "b" }, WARNED]);
    const page = await json("?limit=1&tool=a");
    expect(Object.keys(page)).toEqual(["activities", "total", "limit", "offset", "next_cursor"]);
    const [record] = page["activities"] as ActivityRecord[];
    expect(page).toMatchObject({ total: 1, limit: 1, activities: [{ tool: "a" }] });
    expect(await json(`/${record?.id.toLowerCase()}`)).toEqual(record);
    const response = await get("/");
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect((await response.json()).total).toBe(3);
  });

  it("returns a summary, and a rollout with suggested rules", async () => {
    const { json } = await api([{ server: "crm", tool: "update", request_id: "r1" }, WARNED]);
    expect(await json("/summary")).toMatchObject({ records: 2, calls: { total: 1 } });
    expect(await json("/rollout")).not.toHaveProperty("suggestion");
    expect(await json("/rollout?suggest=true")).toMatchObject({
      calls: 1,
      would_block: 1,
      suggestion: {
        mcpServers: {
          crm: {
            touchstone: {
              tools: { update: { input_validation: { rules: { "/x": "warning" } } } },
            },
          },
        },
        left: [],
      },
    });
  });

  it.each([
    ["?status=Blocked", "status"],
    ["?nonsense=1", "nonsense"],
    ["?tool=a&tool=b", "tool"],
    ["?limit=0", "limit"],
    ["/summary?limit=5", "limit"],
    ["/summary?period=1y", "period"],
    ["/summary?period=1h&since=1h", "period"],
    ["/export?format=xml", "format"],
    ["/rollout?suggest=yes", "suggest"],
    ["/events?status=x", "status"],
  ])("refuses %s", async (path, name) => {
    const { get } = await api();
    const response = await get(path);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: expect.stringContaining(name),
      code: "BAD_FILTER",
    });
  });

  it.each(["/nothing", "/01M8066KDN0000000000000000", "/summary/x", "x"])(
    "answers 404 for %s",
    async (path) => {
      const { get } = await api();
      const response = await get(path);
      expect([response.status, (await response.json()).code]).toEqual([404, "NOT_FOUND"]);
    },
  );

  it("reports drift under the latest schema", async () => {
    const { store, get, json } = await api();
    const of = { server: "crm", tool: "find/it", schemaHash: "sha256:1" };
    const schema = '{"type":"object","properties":{"id":{"type":"integer"}}}';
    await store.shapes.add([{ ...of, schema, shape: shapeOf({ id: "x" }, { id: 1, at: "y" }) }]);
    expect(await json("/drift?server=crm&tool=find%2Fit")).toMatchObject({
      server: "crm",
      tool: "find/it",
      schema_hash: "sha256:1",
      results: 2,
      findings: [
        { kind: "other_type", path: "/id" },
        { kind: "undeclared", path: "/at" },
      ],
      proposed: { properties: { id: { type: ["integer", "string"] }, at: { type: "string" } } },
      proposed_fits: true,
    });
    const unknown = await get("/drift?server=crm&tool=find");
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { error: expect.stringContaining('"activity": {"drift": true}'), code: "NOT_FOUND" },
    ]);
  });

  it.each([
    ["", "server"],
    ["?server=crm", "tool"],
    ["?server=crm&tool=", "tool"],
    ["?server=crm&tool=find&since=1h", "since"],
  ])("refuses /drift%s", async (query, field) => {
    const answer = await (await api()).get(`/drift${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: expect.stringContaining(field),
      code: "BAD_FILTER",
    });
  });

  it("describes the form of an id if one is mistyped", async () => {
    const { get } = await api();
    const { error } = await (await get("/01M8066KDN")).json();
    expect(error).toBe(
      '"01M8066KDN" is not a record\'s id (26 letters and digits), and none of summary, rollout, repairs, drift, export, events.',
    );
  });

  it("accepts only GET and HEAD", async () => {
    const { get } = await api([{}]);
    const post = await get("", { method: "POST", body: "{}" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    const head = await get("/export", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("answers 503 with the store's code, and never throws", async () => {
    const { store, get } = await api();
    await store.close();
    const response = await get("");
    expect([response.status, (await response.json()).code]).toEqual([503, "CLOSED"]);
  });

  it("exports in every format, oldest first, across pages", async () => {
    const { store, get: ask } = await api();
    const records = await store.append(
      Array.from({ length: 1203 }, (_, n) => ({ ...CALL, tool: `t${n}`, reason: '=1+"a",\nb' })),
    );
    const get = async (path: string) => (await ask(`/export${path}`)).text();
    const lines = (text: string) =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    expect(lines(await get(""))).toEqual(records);
    const csv = (await get("?format=csv")).split("\r\n");
    expect(csv).toHaveLength(1203 + 2);
    expect(csv[1]).toContain(`"'=1+""a"",\nb"`);
    const ecs = lines(await get("?format=ecs&tool=t7"));
    expect(ecs).toMatchObject([
      { "@timestamp": records[7]?.time, event: { id: records[7]?.id, action: "tool_call" } },
    ]);
    const ocsf = lines(await get("?format=ocsf&tool=t7"));
    expect(ocsf).toMatchObject([
      {
        class_uid: 6003,
        type_uid: 600399,
        time: Date.parse(records[7]?.time ?? ""),
        metadata: { uid: records[7]?.id },
        api: { operation: "t7" },
        actor: { app_name: "unknown" },
        src_endpoint: { name: "unknown" },
      },
    ]);
  });
});

describe("events", () => {
  interface Seen {
    readonly id: string | undefined;
    readonly record: ActivityRecord;
  }

  /** Reads events until it has as many as wanted, then closes the stream. */
  async function take(response: Response, wanted: number): Promise<readonly Seen[]> {
    const seen: Seen[] = [];
    const parser = createParser({
      onEvent: ({ id, data }) => seen.push({ id, record: JSON.parse(data) as ActivityRecord }),
    });
    const decoder = new TextDecoder();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    while (seen.length < wanted) {
      const { value, done } = await reader.read();
      if (done) break;
      parser.feed(decoder.decode(value, { stream: true }));
    }
    await reader.cancel();
    return seen.slice(0, wanted);
  }

  it("start with new records, and resume after the last one seen", async () => {
    const { store, get } = await api([{ tool: "old" }]);
    const response = await get("/events");
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const first = take(response, 1);
    // Waits until the stream has found its position, before anything is appended.
    await store.tail(undefined, 1);
    await store.append([
      { ...CALL, tool: "a" },
      { ...CALL, tool: "b" },
    ]);
    const [seen] = await first;
    expect(seen?.record.tool).toBe("a");
    await store.append([{ ...CALL, tool: "c" }]);
    const headers = { "last-event-id": seen?.id ?? "" };
    const more = await take(await get("/events", { headers }), 2);
    expect(more.map(({ record }) => record.tool)).toEqual(["b", "c"]);
    const filtered = await take(await get("/events?tool=c", { headers }), 1);
    expect(filtered.map(({ record }) => record.tool)).toEqual(["c"]);
  });

  it("send the retry time once, at the start", async () => {
    const { store, get } = await api([{ tool: "old" }]);
    const { body } = await get("/events");
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const chunk = async () => Buffer.from((await reader.read()).value ?? []).toString();
    expect(await chunk()).toMatch(/^retry: 2000\n\n/);
    await store.append([{ ...CALL, tool: "a" }]);
    expect(await chunk()).toMatch(/^id: .*\nevent: activity\ndata: /);
    await reader.cancel();
  });

  it("end when the client has left", async () => {
    const { get } = await api();
    const leaving = new AbortController();
    const response = await get("/events", { signal: leaving.signal });
    const text = response.text();
    leaving.abort();
    await text.catch(() => undefined);
  });
});
