import { readFrame } from "@touchstone/protocol";
import { describe, expect, it } from "vitest";
import { MAX_TOOLS } from "../../contracts/book.ts";
import { maxEntries } from "../../contracts/tools-page.ts";
import { turnsDuring } from "../../testing/turns.ts";
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

describe("the list of a server's tools", () => {
  it("has the tools of all pages, asked for once for many", async () => {
    const { names, state } = listOf((cursor) =>
      cursor === undefined ? { ...tools("a"), nextCursor: "2" } : tools("b"),
    );
    expect(await Promise.all([names(), names()])).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(state.asked).toBe(2);
  });

  it("has each tool once where the server never leaves the cursor out", async () => {
    const { names, state } = listOf(() => ({ ...tools("a", "b"), nextCursor: "" }));
    expect(await names()).toEqual(["a", "b"]);
    expect([state.asked, state.warnings]).toEqual([2, []]);
  });

  it("is read once if it comes again in the same bytes", async () => {
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

  it("is asked for again when the server reports that it changed", async () => {
    const { list, names, state } = listOf(() => tools("a"));
    await names();
    state.page = () => tools("b");
    list.markStale();
    expect(await names()).toEqual(["b"]);
  });

  it("stands in while the server cannot be asked, and is an error if none is known", async () => {
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
    "is an error if the answer is %j",
    async (page) => {
      await expect(listOf(() => page).names()).rejects.toThrow("has no list of tools");
    },
  );

  it("leaves out what is not a tool, and nothing else", async () => {
    const page = { tools: [1, null, {}, { name: 1 }, [], { name: "a" }, { name: "__proto__" }] };
    const { names, state } = listOf(() => page);
    expect(await names()).toEqual(["a", "__proto__"]);
    expect(state.warnings).toEqual([
      "tools were left out: 5: they are not objects that have a name",
    ]);
  });

  it.each([
    ["no tools", "1", 0],
    ["tools", '{"name":"a"}', MAX_TOOLS],
  ])(
    "is cut where a page holds no end of %s, and that is reported once",
    async (_, entry, kept) => {
      const many = Array<unknown>(maxEntries(MAX_TOOLS) + 1).fill(JSON.parse(entry));
      const { names, state } = listOf(() => ({ tools: many, nextCursor: "2" }));
      expect(await names()).toHaveLength(kept);
      expect(state.asked).toBe(1);
      expect(state.warnings[0]).toBe(
        "the list was cut: it holds more tools than are read (limits.tools is 10000)",
      );
      expect(state.warnings).toHaveLength(kept === 0 ? 2 : 1);
    },
  );

  it("has as many tools as are kept, and reports nothing", async () => {
    const { names, state } = listOf(() => ({ tools: Array(MAX_TOOLS).fill({ name: "a" }) }));
    expect(await names()).toHaveLength(MAX_TOOLS);
    expect(state.warnings).toEqual([]);
  });

  it.each([
    ["fewer", 3],
    ["more", MAX_TOOLS + 50],
  ])("has %s tools than by default where limits.tools says so", async (_, most) => {
    const page = (size: number) => ({ tools: Array(size).fill({ name: "a" }) });
    expect(await listOf(() => page(most + 1), most).names()).toHaveLength(most);
    // As many pages as such a list may need.
    const paged = listOf((cursor = "") => ({ ...page(1), nextCursor: `${cursor}+` }), most);
    expect(await paged.names()).toHaveLength(most === 3 ? 3 : 101);
  });

  it("keeps the texts of schemas, whatever a server calls so", async () => {
    const max = '{ "maximum": 9223372036854775807 }';
    const { list } = listOf(() => ({
      tools: [{ name: "a", inputSchema: 5, texts: { inputSchema: max } }],
    }));
    expect(await list.get()).toMatchObject([{ name: "a", texts: { inputSchema: "5" } }]);
  });

  it("lets others have their turn while it is read", async () => {
    const text = "x".repeat(5_000);
    const large = Array.from({ length: 5_000 }, (_, n) => ({ name: `t${n}`, description: text }));
    const { list } = listOf(() => ({ tools: large }));
    const turns = await turnsDuring(() => list.get());
    expect(turns).toBeGreaterThan(2);
  });

  it("is asked for again if it changed while it was asked for", async () => {
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
