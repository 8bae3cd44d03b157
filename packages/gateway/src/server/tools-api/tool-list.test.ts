import { readFrame } from "@touchstone/protocol";
import { describe, expect, it } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { turnsDuring, turnsOnFastClock } from "../../../../util/src/testing/turns.ts";
import { MAX_TOOLS } from "../../contracts/contract-list.ts";
import { maxPageEntries } from "../../contracts/tools-page.ts";
import { ToolList } from "./tool-list.ts";

type Page = (cursor: string | undefined) => unknown;

function listOf(page: Page, maxTools: number = MAX_TOOLS) {
  const state = { page, now: 0, asked: 0, warnings: [] as string[] };
  const list = new ToolList({
    ask: async (params) => {
      state.asked += 1;
      const { cursor } = JSON.parse(params) as { readonly cursor?: string };
      const result = await state.page(cursor);
      return readFrame(Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result })));
    },
    warn: (message, reason) => state.warnings.push(`${message}: ${reason}`),
    now: () => state.now,
    maxTools,
  });
  const names = async () => (await list.get()).map(({ name }) => name);
  return { list, state, names };
}

const tools = (...names: string[]) => ({ tools: names.map((name) => ({ name })) });

describe("a server's tool list", () => {
  it("has the tools of all pages, fetched once for concurrent requests", async () => {
    const { names, state } = listOf((cursor) =>
      cursor === undefined ? { ...tools("a"), nextCursor: "2" } : tools("b"),
    );
    expect(await Promise.all([names(), names()])).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(state.asked).toBe(2);
  });

  it("has each tool once if the server's cursor never ends", async () => {
    const { names, state } = listOf(() => ({ ...tools("a", "b"), nextCursor: "" }));
    expect(await names()).toEqual(["a", "b"]);
    expect([state.asked, state.warnings]).toEqual([2, []]);
  });

  it("is parsed once if it comes again in the same bytes", async () => {
    const pages = new Map<string | undefined, unknown>([
      [undefined, { ...tools("a"), nextCursor: "2" }],
      ["2", tools("b")],
    ]);
    const { list, state } = listOf((cursor) => pages.get(cursor));
    const [a, b] = await list.get();
    pages.set("2", tools("b", "c"));
    state.now = 30_000;
    const again = await list.get();
    expect(state.asked).toBe(4);
    expect(again.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect([again[0] === a, again[1] === b]).toEqual([true, false]);
  });

  it("is cut if it never ends", async () => {
    const { names, state } = listOf((cursor = "") => ({ ...tools("a"), nextCursor: `${cursor}+` }));
    expect(await names()).toHaveLength(100);
    expect(state.warnings).toEqual(["the list was cut: it does not end"]);
  });

  it.each([
    ["30 s", tools("a"), 29_999, 30_000],
    ["less where the server says so", { ...tools("a"), ttlMs: 5_000 }, 4_999, 5_000],
    ["never less than 1 s", { ...tools("a"), ttlMs: 0 }, 999, 1_000],
    ["never more than 30 s", { ...tools("a"), ttlMs: 1e9 }, 29_999, 30_000],
  ])("is kept for %s", async (_, page, fresh, stale) => {
    const { names, state } = listOf(() => page);
    await names();
    state.now = fresh;
    await names();
    expect(state.asked).toBe(1);
    state.now = stale;
    await names();
    expect(state.asked).toBe(2);
  });

  it("is fetched again when the server reports a change", async () => {
    const { list, names, state } = listOf(() => tools("a"));
    await names();
    state.page = () => tools("b");
    list.markStale();
    expect(await names()).toEqual(["b"]);
  });

  it("is reused while the server is unreachable, and is an error if never fetched", async () => {
    const down = () => Promise.reject(new Error("it is down"));
    const { names, state } = listOf(down);
    await expect(names()).rejects.toThrow("it is down");
    state.page = () => tools("a");
    expect(await names()).toEqual(["a"]);
    state.page = down;
    state.now = 30_000;
    expect(await names()).toEqual(["a"]);
    expect(state.warnings).toEqual([expect.stringContaining("it is down")]);
  });

  it.each([{}, { tools: null }, { tools: {} }, { tools: "a" }])(
    "is an error if the response is %j",
    async (page) => {
      await expect(listOf(() => page).names()).rejects.toThrow("has no list of tools");
    },
  );

  it("leaves out only entries that are not tools", async () => {
    const page = { tools: [1, null, {}, { name: 1 }, [], { name: "a" }, { name: "__proto__" }] };
    const { names, state } = listOf(() => page);
    expect(await names()).toEqual(["a", "__proto__"]);
    expect(state.warnings).toEqual([
      "tools were skipped: 5: they are not objects that have a name",
    ]);
  });

  it.each([
    ["no tools", "1", 0],
    ["tools", '{"name":"a"}', MAX_TOOLS],
  ])(
    "is cut at a page with too many entries of %s, and that is logged once",
    async (_, entry, kept) => {
      const many = Array<unknown>(maxPageEntries(MAX_TOOLS) + 1).fill(JSON.parse(entry));
      const { names, state } = listOf(() => ({ tools: many, nextCursor: "2" }));
      expect(await names()).toHaveLength(kept);
      expect(state.asked).toBe(1);
      expect(state.warnings[0]).toBe(
        "the list was cut: it holds more tools than are read (limits.tools is 10000)",
      );
      expect(state.warnings).toHaveLength(kept === 0 ? 2 : 1);
    },
  );

  it("has exactly the maximum number of tools without a warning", async () => {
    const { names, state } = listOf(() => ({ tools: Array(MAX_TOOLS).fill({ name: "a" }) }));
    expect(await names()).toHaveLength(MAX_TOOLS);
    expect(state.warnings).toEqual([]);
  });

  it.each([
    ["fewer", 3],
    ["more", MAX_TOOLS + 50],
  ])("has %s tools than by default if limits.tools says so", async (_, most) => {
    const page = (size: number) => ({ tools: Array(size).fill({ name: "a" }) });
    expect(await listOf(() => page(most + 1), most).names()).toHaveLength(most);
    // The list has as many pages as it may need.
    const paged = listOf((cursor = "") => ({ ...page(1), nextCursor: `${cursor}+` }), most);
    expect(await paged.names()).toHaveLength(most === 3 ? 3 : 101);
  });

  it("keeps the text of schemas, whatever a server calls by that name", async () => {
    const max = '{ "maximum": 9223372036854775807 }';
    const { list } = listOf(() => ({
      tools: [{ name: "a", inputSchema: 5, texts: { inputSchema: max } }],
    }));
    expect(await list.get()).toMatchObject([{ name: "a", texts: { inputSchema: "5" } }]);
  });

  it("has the last of two schemas, as in the parsed tool", async () => {
    const twice = '{"name":"a","inputSchema":{"a":1},"inputSchema": {"a":2 }}';
    const text = `{"jsonrpc":"2.0","id":1,"result":{"tools":[${twice}]}}`;
    const ask = async () => readFrame(Buffer.from(text));
    const list = new ToolList({ ask, warn: () => {}, now: () => 0, maxTools: 10 });
    const texts = { inputSchema: '{"a":2 }' };
    expect(await list.get()).toMatchObject([{ name: "a", inputSchema: { a: 2 }, texts }]);
  });

  it("lets other tasks take their turn while one large tool is read", async () => {
    const names = Array.from({ length: 100_000 }, (_, n) => [`p${n}`, { type: "string" }]);
    const inputSchema = { type: "object", properties: Object.fromEntries(names) };
    const { list } = listOf(() => ({ tools: [{ name: "a", inputSchema }] }));
    // At least one pause after each step of some hundred thousand bytes.
    expect(await turnsOnFastClock(10, () => list.get())).toBeGreaterThan(10);
  });

  it("lets other tasks take their turn while it is parsed", long, async () => {
    const text = "x".repeat(5_000);
    const large = Array.from({ length: 5_000 }, (_, n) => ({ name: `t${n}`, description: text }));
    const { list } = listOf(() => ({ tools: large }));
    const turns = await turnsDuring(() => list.get());
    expect(turns).toBeGreaterThan(2);
  });

  it("is fetched again if it changed during the fetch", async () => {
    const { list, names, state } = listOf(() => {
      list.markStale();
      return tools("a");
    });
    await names();
    state.page = () => tools("b");
    expect(await names()).toEqual(["b"]);
    await names();
    expect(state.asked).toBe(2);
  });
});
