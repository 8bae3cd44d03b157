import { describe, expect, it } from "vitest";
import { NOTED_PREFIX } from "../../../records/src/rollout/words.ts";
import {
  ADD,
  all,
  call,
  Harness,
  initializeParams,
  LEGACY,
  MODERN,
  parse,
  request,
  result,
  told,
  toolList,
} from "./testing/harness.ts";

const ERAS = [LEGACY, MODERN];
/** Returns the reason of the only recorded decision. */
const reasonOf = (h: Harness): string | null | undefined => h.records("policy_decision")[0]?.reason;

describe("a server's message that violates its revision's schema", () => {
  it.each<[string, string, object, number, string]>([
    ["params that lack a member", LEGACY, { method: "elicitation/create" }, -32602, "/params"],
    [
      "a notification's method",
      LEGACY,
      { method: "notifications/message", params: { level: "info", data: 1 } },
      -32600,
      "/id",
    ],
    ["any in 2026-07-28", MODERN, { method: "roots/list" }, -32600, "/method"],
  ])(
    "is answered in strict if it is a request: %s",
    async (_name, revision, message, code, path) => {
      const text = { jsonrpc: "2.0", id: "q", ...message };
      const strict = new Harness({ settings: all("strict"), revision });
      const { onward, back } = await strict.server(text);
      expect(onward).toBeUndefined();
      expect(back?.map(parse)).toMatchObject([
        { id: "q", error: { code, data: { issues: [{ path }] } } },
      ]);
      const warn = new Harness({ revision });
      const frame = warn.read(text);
      expect(await warn.server(frame)).toEqual({ onward: frame.bytes });
      expect(told(warn)).toEqual([["protocol", "warning", path]]);
    },
  );

  it("is dropped only in strict if it is a notification", async () => {
    const text = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
    const strict = new Harness({ settings: all("strict") });
    expect(await strict.server(text)).toEqual({});
    expect(told(strict)).toEqual([["protocol", "blocked", "/params/progressToken"]]);
    const warn = new Harness();
    const frame = warn.read(text);
    expect(await warn.server(frame)).toEqual({ onward: frame.bytes });
  });

  it.each([
    ["initialize", LEGACY, initializeParams(), "/result/serverInfo"],
    ["server/discover", MODERN, {}, "/result/supportedVersions"],
  ])("is never blocked if it answers %s", async (method, revision, params, path) => {
    const h = new Harness({ settings: all("strict"), revision });
    await h.client(request(1, method, params, revision));
    const members = { protocolVersion: LEGACY, capabilities: {} };
    const modern = { resultType: "complete", ttlMs: 1, cacheScope: "public" };
    const frame = h.read({ jsonrpc: "2.0", id: 1, result: { ...members, ...modern } });
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(told(h)).toEqual([["protocol", "warning", path]]);
    expect(reasonOf(h)).toContain(`${NOTED_PREFIX}${path} `);
  });

  it("leaves the requested revision in effect if initialize is answered without one", async () => {
    const h = new Harness({ revision: undefined });
    await h.client(request(1, "initialize", initializeParams(LEGACY), LEGACY));
    await h.server({ jsonrpc: "2.0", id: 1, result: {} });
    expect(h.pipeline.conversation.revision).toBe(LEGACY);
  });

  it("is checked by the revision that initialize negotiates", async () => {
    const serverInfo = { name: "s", version: "1", icons: 5 };
    for (const [asked, agreed, faults] of [
      [LEGACY, "2025-06-18", []],
      ["2099-01-01", LEGACY, [["protocol", "warning", "/result/serverInfo/icons"]]],
    ] as const) {
      const h = new Harness({ settings: all("strict"), revision: undefined });
      await h.client(request(1, "initialize", initializeParams(asked), asked));
      const answer = { protocolVersion: agreed, capabilities: {}, serverInfo };
      await h.server({ jsonrpc: "2.0", id: 1, result: answer });
      expect(told(h)).toEqual(faults);
      expect(h.pipeline.conversation.revision).toBe(agreed);
    }
  });
});

describe("a result of 2026-07-28 without resultType", () => {
  const cached = { ttlMs: 1, cacheScope: "private" };
  it.each<[string, object, object]>([
    ["tools/call", { name: "add", arguments: { a: 1 } }, { content: [] }],
    ["tools/list", {}, { tools: [], ...cached }],
    ["prompts/get", { name: "p" }, { messages: [] }],
    ["resources/read", { uri: "x:/r" }, { contents: [], ...cached }],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
      { completion: { values: [] } },
    ],
  ])("is recorded and forwarded in strict: %s", async (method, params, members) => {
    const h = new Harness({ settings: all("strict"), revision: MODERN });
    await h.list([ADD]);
    await h.client(request(1, method, params, MODERN));
    const frame = h.read({ jsonrpc: "2.0", id: 1, result: members });
    expect(told(h)).toEqual([]);
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(told(h)).toEqual([["protocol", "warning", "/result/resultType"]]);
    expect(reasonOf(h)).toContain(`${NOTED_PREFIX}/result/resultType `);
  });

  it.each([
    ["of another type", '{"resultType":null,"content":[]}', "/result/resultType"],
    ["and without content", "{}", "/result/content"],
  ])("is blocked in strict if it is invalid otherwise: %s", async (_what, text, path) => {
    const h = new Harness({ settings: all("strict"), revision: MODERN });
    await h.list([ADD]);
    await h.client(call(1, "add", '{"a":1}', "", MODERN));
    const { onward } = await h.server(result(1, text));
    const { error } = parse(onward) as { error: { data: { issues: { path: string }[] } } };
    expect(error.data.issues.map((issue) => issue.path)).toContain(path);
  });
});

describe("a completion", () => {
  const ask = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } };
  it.each(["2024-11-05", "2025-03-26", "2025-06-18", LEGACY, MODERN])(
    "has at most 100 values in %s",
    async (revision) => {
      for (const [length, issues] of [
        [100, []],
        [101, [["protocol", "blocked", "/result/completion/values"]]],
      ] as const) {
        const h = new Harness({ settings: all("strict"), revision });
        await h.client(request(1, "completion/complete", ask, revision));
        const completion = { values: Array.from({ length }, String) };
        await h.server({ jsonrpc: "2.0", id: 1, result: { resultType: "complete", completion } });
        expect(told(h)).toEqual(issues);
      }
    },
  );
});

describe("a fault in one item of a list", () => {
  const LISTS: [string, string, object][] = [
    ["tools/list", "tools", { name: "t", inputSchema: { type: "object" } }],
    ["prompts/list", "prompts", { name: "p" }],
    ["resources/list", "resources", { name: "r", uri: "x:/r" }],
    ["resources/templates/list", "resourceTemplates", { name: "r", uriTemplate: "x:/{r}" }],
  ];
  const table = ERAS.flatMap((revision) => LISTS.map((row) => [revision, ...row] as const));
  it.each(table)(
    "is reported and blocks nothing: %s %s",
    async (revision, method, member, good) => {
      const h = new Harness({ settings: all("strict"), revision });
      await h.client(request(1, method, {}, revision));
      const items = [good, { ...good, title: 5, name: "second" }, 7];
      const page = { ...toolList([], revision), [member]: items };
      const frame = h.read({ jsonrpc: "2.0", id: 1, result: page });
      expect((await h.server(frame)).onward).toBe(frame.bytes);
      const at = `/result/${member}`;
      const [title, item] = [`${at}/1/title`, `${at}/2`];
      // A tool with a name has a separate record.
      const records = method === "tools/list" ? [[item], [title]] : [[title, item]];
      expect(told(h)).toEqual(records.map((paths) => ["protocol", "warning", ...paths]));
      const reasons = h.records("policy_decision").map(({ reason }) => reason);
      expect(reasons).toEqual(
        records.map(([path]) => expect.stringContaining(`${NOTED_PREFIX}${path}`)),
      );
    },
  );

  it("is reported together with faults of the whole response", async () => {
    const h = new Harness();
    await h.client(request(1, "tools/list", {}, LEGACY));
    const tool = { name: "t", inputSchema: { type: "object" }, title: 5 };
    await h.server({ jsonrpc: "2.0", id: "1", result: { tools: [tool] } });
    expect(told(h)).toEqual([
      ["protocol", "warning", "/id"],
      ["protocol", "warning", "/result/tools/0/title"],
    ]);
    expect(reasonOf(h)).not.toContain(NOTED_PREFIX);
  });

  it("is blocked with the list if the list itself is invalid, and no tool is learned", async () => {
    const h = new Harness({ settings: all("strict"), revision: MODERN });
    await h.list([ADD]);
    await h.client(request(1, "tools/list", {}, MODERN));
    const { onward } = await h.server({ jsonrpc: "2.0", id: 1, result: { tools: [5] } });
    const missing = ["/result/resultType", "/result/ttlMs", "/result/cacheScope"];
    const { error } = parse(onward) as { error: { data: { issues: { path: string }[] } } };
    expect(error.data.issues.map(({ path }) => path).sort()).toEqual(missing.sort());
    expect(h.records("schema_change")).toEqual([]);
    expect((await h.client(call(2, "add", "{}", "", MODERN))).onward).toBeUndefined();
  });
});
