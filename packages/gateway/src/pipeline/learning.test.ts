import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  ADD,
  all,
  call,
  Harness,
  LEGACY,
  MODERN,
  modernMeta,
  modes,
  PLAIN,
  parse,
  structured,
  toolList,
} from "./testing/harness.ts";

const page = (tools: readonly object[], more = {}): Uint8Array =>
  Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 0, result: { tools, ...more } }));
const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

describe("a call before any list", () => {
  it("fetches all pages once for all waiting calls", async () => {
    const h = new Harness({ settings: all("strict") });
    h.ask = async (_method, params) =>
      params === "{}" ? page([PLAIN], { nextCursor: 'c"1' }) : page([ADD]);
    const flow = await h.pipeline.fromClient(h.read(call(1, "add", "{}")));
    expect(flow.ordered).toBe(false);
    const [first, second] = await Promise.all([flow.passage, h.client(call(2, "add", '{"a":1}'))]);
    expect(first.back?.map(parse)).toMatchObject([{ id: 1, result: { isError: true } }]);
    expect(second?.onward).toBeDefined();
    expect(h.asked).toEqual([
      { method: "tools/list", params: "{}" },
      { method: "tools/list", params: '{"cursor":"c\\"1"}' },
    ]);
    expect((await h.pipeline.fromClient(h.read(call(3, "add", "{}")))).ordered).toBe(true);
  });

  it("provides a contract to transports, with one request for the list", async () => {
    const h = new Harness();
    h.ask = async () => page([ADD]);
    const contractOf = (text: string) => h.pipeline.contractOf(h.read(text));
    const unnamed = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}';
    expect(await contractOf(unnamed)).toBeUndefined();
    expect(h.asked).toEqual([]);
    expect((await contractOf(call(2, "add", "{}")))?.name).toBe("add");
    expect(await contractOf(call(3, "other", "{}"))).toBeUndefined();
    expect(h.asked).toHaveLength(1);
  });

  it("waits for the list only once, even if it is stale when the call itself arrives", async () => {
    const h = new Harness();
    h.ask = async () => page([ADD], { ttlMs: 0 });
    const frame = h.read(call(1, "other", "{}"));
    await h.pipeline.contractOf(frame);
    h.clock = 60_000;
    await h.client(frame);
    expect(h.asked).toHaveLength(1);
    await h.client(call(2, "other", "{}"));
    expect(h.asked).toHaveLength(2);
  });

  it("sends its own _meta on 2026-07-28, and nothing of the client's", async () => {
    const h = new Harness({ revision: undefined });
    h.ask = async () => page([ADD]);
    await h.client({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "add", _meta: { ...modernMeta(), progressToken: 7, secret: "hunter2" } },
    });
    const own = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    expect(JSON.parse(h.asked[0]?.params ?? "")).toEqual({ _meta: own });
  });

  it("fetches no list if nothing would be checked", async () => {
    const h = new Harness({ settings: modes({ input: "off", output: "off" }) });
    expect((await h.pipeline.fromClient(h.read(call(1, "add", "{}")))).ordered).toBe(true);
    expect(h.asked).toEqual([]);
  });

  it("stops asking if the server has no list", async () => {
    const h = new Harness({ settings: all("strict") });
    let pages = 0;
    h.ask = async () => page([{ ...ADD, name: `t${pages++}` }], { nextCursor: String(pages) });
    await h.client(call(1, "t5", "{}"));
    expect(h.asked).toHaveLength(100);
    // The part that was read counts, and the next call does not request the list again at once.
    expect((await h.client(call(2, "t99", "{}"))).onward).toBeUndefined();
    expect(h.asked).toHaveLength(100);
  });
});

describe("a list that passes through", () => {
  const listed = async (h: Harness, id: number, cursor: unknown, text: object): Promise<void> => {
    await h.client({
      jsonrpc: "2.0",
      id,
      method: "tools/list",
      params: cursor === undefined ? {} : { cursor },
    });
    await h.server({ jsonrpc: "2.0", id, result: text });
  };
  const strict = (): Harness => new Harness({ settings: all("strict") });
  const judged = async (h: Harness, id: number): Promise<boolean> =>
    (await h.client(call(id, "add", "{}"))).onward === undefined;

  it.each([
    ["left out", undefined, "strict", []],
    // The protocol does not allow this cursor; servers treat it as the beginning of the list anyway.
    ["null", null, "warn", ["/params/cursor"]],
  ] as const)("is learned from all its pages, with the first cursor %s", async (...row) => {
    const [, cursor, protocol, faults] = row;
    const h = new Harness({ settings: modes({ input: "strict", protocol }) });
    await listed(h, 1, cursor, { tools: [PLAIN], nextCursor: "2" });
    await listed(h, 2, "2", { tools: [ADD] });
    const told = h.records("policy_decision").flatMap(({ issues }) => issues);
    expect(told.map(({ path }) => path)).toEqual(faults);
    expect(await judged(h, 3)).toBe(true);
    expect(h.asked).toEqual([]);
  });

  it("loses no tool if its last page is requested again", async () => {
    const h = strict();
    await listed(h, 1, undefined, { tools: [ADD], nextCursor: "2" });
    await listed(h, 2, "2", { tools: [PLAIN] });
    await listed(h, 3, "2", { tools: [PLAIN] });
    expect(await judged(h, 4)).toBe(true);
    expect(h.records("schema_change")).toEqual([]);
  });

  it("is kept apart from another list that is read at the same time", async () => {
    const h = strict();
    for (const id of [1, 2]) await listed(h, id, undefined, { tools: [ADD], nextCursor: "2" });
    for (const id of [3, 4]) await listed(h, id, "2", { tools: [PLAIN] });
    expect(await judged(h, 5)).toBe(true);
  });

  it("has its changed, new and removed tools reported", async () => {
    const h = strict();
    await listed(h, 1, undefined, { tools: [ADD, PLAIN] });
    await listed(h, 2, undefined, { tools: [{ ...ADD, outputSchema: {} }, { name: "new" }] });
    const changes = h.records("schema_change");
    expect(changes.map(({ tool, reason }) => [tool, reason])).toEqual([
      ["add", "output schema changed"],
      ["new", "tool added"],
      ["plain", "tool removed"],
    ]);
    const empty = `sha256:${createHash("sha256").update("{}").digest("hex")}`;
    expect(changes[0]?.schema_hash).toBe(empty);
    expect(h.pipeline.pending).toBe(0);
  });

  it("leaves a pending call the contract that it began with", async () => {
    const h = strict();
    await listed(h, 1, undefined, { tools: [ADD] });
    await h.client(call(2, "add", '{"a":1}'));
    await listed(h, 3, undefined, { tools: [{ name: "add" }] });
    expect(parse((await h.server(structured(2, "{}"))).onward)).toMatchObject({
      result: { isError: true },
    });
    const free = h.read(call(4, "add", '{"a":"x"}'));
    expect((await h.client(free)).onward).toBe(free.bytes);
  });

  it("is fetched again after list_changed, in every supported revision", async () => {
    for (const revision of [LEGACY, MODERN]) {
      // A client of 2026-07-28 does not negotiate a revision: each request names it.
      const h = new Harness({ settings: all("strict"), revision: undefined });
      h.ask = async () => page([{ ...ADD, inputSchema: { type: "object" } }]);
      const meta = revision === MODERN ? { _meta: modernMeta() } : {};
      if (revision === LEGACY) h.pipeline.conversation.revision = LEGACY;
      await h.client({ jsonrpc: "2.0", id: 1, method: "tools/list", params: meta });
      await h.server({ jsonrpc: "2.0", id: 1, result: toolList([ADD], revision) });
      const frame = h.read(CHANGED);
      expect((await h.server(frame)).onward).toBe(frame.bytes);
      // By the earlier list, this call would be blocked.
      const params = { name: "add", arguments: { a: "x" }, ...meta };
      const { onward } = await h.client({ jsonrpc: "2.0", id: 2, method: "tools/call", params });
      expect(h.asked).toHaveLength(1);
      expect(onward).toBeDefined();
    }
  });

  it("remains in use if the new one cannot be fetched", async () => {
    const h = strict();
    await listed(h, 1, undefined, { tools: [ADD] });
    await h.server(CHANGED);
    expect(await judged(h, 2)).toBe(true);
    expect(h.lines.join("")).toContain("could not fetch tools/list; the last known list is used");
    expect(h.records("tool_call")[0]?.reason).toMatch(
      /; checked against the last known tool list: nobody answers$/,
    );
  });

  it("is fetched again when its ttlMs has passed", async () => {
    const h = strict();
    h.ask = async () => page([ADD]);
    await listed(h, 1, undefined, { tools: [ADD], ttlMs: 5_000 });
    h.clock = 4_999;
    expect(await judged(h, 2)).toBe(true);
    expect(h.asked).toEqual([]);
    h.clock = 5_000;
    expect(await judged(h, 3)).toBe(true);
    expect(h.asked).toHaveLength(1);
  });

  it("has every fault of its tools counted, also if there are thousands", async () => {
    const h = new Harness({ settings: all("warn") });
    await h.list(Array.from({ length: 2_500 }, () => ADD));
    const found = h.records("policy_decision").map(({ issues = [], truncated = 0 }) => {
      return issues.length + (truncated ?? 0);
    });
    expect(found.reduce((sum, count) => sum + count, 0)).toBe(2_499);
  });

  it("has faults in single tools reported without hiding other tools", async () => {
    const h = strict();
    await listed(h, 1, undefined, {
      tools: [5, { name: 6 }, ADD, { name: "add", inputSchema: { type: "nonsense" } }, ADD],
    });
    expect(h.records("policy_decision")).toMatchObject([
      {
        tool: null,
        decision: "warning",
        issues: [
          { path: "/result/tools/0", keyword: "type" },
          { path: "/result/tools/1/inputSchema", keyword: "required" },
          { path: "/result/tools/1/name", keyword: "type" },
        ],
      },
      {
        tool: "add",
        decision: "warning",
        issues: [
          { path: "/result/tools/3/inputSchema/type", keyword: "const" },
          { path: "/result/tools/3/name" },
        ],
      },
      { tool: "add", decision: "warning", issues: [{ path: "/result/tools/4/name" }] },
    ]);
    expect(await judged(h, 2)).toBe(true);
  });

  it("leaves a tool without schemas unchecked, as it declares nothing", async () => {
    const h = new Harness({
      settings: modes({ input: "strict", output: "strict", protocol: "off" }),
    });
    await h.list([{ name: "bare" }]);
    const sent = call(1, "bare", '{"anything":[1]}');
    expect((await h.client(sent)).onward?.toString()).toBe(sent);
    const response = structured(1, '{"anything":[2]}');
    expect((await h.server(response)).onward?.toString()).toBe(response);
    expect(h.records("tool_call")).toMatchObject([{ decision: "allowed", outcome: "skipped" }]);
    expect(h.records("policy_decision")).toEqual([]);
  });

  it("can have more changes than a function call takes arguments", async () => {
    const changes = Array.from({ length: 200_000 }, (_, i) => ({
      tool: `t${i}`,
      kind: "removed" as const,
    }));
    const store = {
      replace: async () => changes,
      used: async () => {},
      tool: async () => undefined,
      toolNames: async () => new Set<string>(),
    };
    const h = new Harness({ settings: all("strict"), store });
    let kept = 0;
    h.activity.append = async (entries) => {
      kept += entries.length;
      return [];
    };
    const { onward } = await h.list([ADD]);
    expect(parse(onward)).toMatchObject({ result: { tools: [{ name: "add" }] } });
    expect(kept).toBe(changes.length);
  });
});
