import { runSteps, SchemaCache } from "@touchstone/core/advanced";
import { readFrame } from "@touchstone/protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ContractStore } from "../../../records/src/contracts/store.ts";
import { createLogger } from "../../../util/src/log.ts";
import { MAX_TOOLS } from "./contract-list.ts";
import { ContractSource, type LearnedPage } from "./contract-source.ts";
import { KnownToolLists } from "./known-lists.ts";
import { askForTools, MAX_PAGES, type SendOwnRequest } from "./own-request.ts";
import { ContractPool } from "./pool.ts";
import { listedNamesSteps, nameHash } from "./short-names.ts";

const answer = (result: object): Uint8Array =>
  Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));

function source(
  replace: ContractStore["replace"] = async () => [],
  maxTools?: number,
  shared: { readonly pool?: ContractPool; readonly lists?: KnownToolLists } = {},
) {
  const used = vi.fn(async (_scope: object) => {});
  const store = {
    replace,
    used,
    tool: async () => undefined,
    toolNames: async () => new Set<string>(),
  };
  const lines: string[] = [];
  const clock = { ms: 0 };
  const notices = { count: 0 };
  const scope = { server: "srv", revision: "", authorization: "" };
  const log = createLogger((line) => lines.push(line), "debug");
  const made = new ContractSource({
    scope,
    cache: new SchemaCache(),
    store,
    log,
    now: () => clock.ms,
    notices: () => notices.count,
    ...(maxTools === undefined ? {} : { maxTools }),
    ...shared,
  });
  return { source: made, lines, clock, notices, used };
}
const nothing = async (): Promise<void> => {};

describe("ContractSource", () => {
  it("makes the names that clients accept in steps, the same as at once", async () => {
    const { source: s } = source();
    const long = Array.from({ length: 300 }, (_, i) => `${"n\u0301".repeat(100)}${i}`);
    const names = ["short", ...long];
    const ask: SendOwnRequest = async () => answer({ tools: names.map((name) => ({ name })) });
    await s.ensure(ask, undefined, async () => {});
    const settings = { max: 64, prefixLength: 0 };
    const before = [...s.book.all()].map(({ nameHash }) => nameHash);
    expect(before).toEqual(names.map(nameHash));
    expect([...s.nameSteps(settings)].length).toBeGreaterThan(long.length);
    const [made, alone] = [s.names(settings), runSteps(listedNamesSteps(names, settings))];
    expect(names.map(made.listed)).toEqual(names.map(alone.listed));
    expect(names.map((name) => made.own(made.listed(name) ?? ""))).toEqual(names);
  });

  it("reports changes and faults of a complete list", async () => {
    const change = { tool: "a", kind: "added" } as const;
    const { source: s } = source(async () => [change]);
    const lessons: LearnedPage[] = [];
    const asked: string[] = [];
    const ask: SendOwnRequest = async (_method, params) => {
      asked.push(params);
      return answer(
        asked.length === 1 ? { tools: [0], nextCursor: "2" } : { tools: [{ name: "a" }] },
      );
    };
    await s.ensure(ask, '{"x":1.0}', async (lesson) => lessons.push(lesson));
    expect(asked).toEqual(['{"_meta":{"x":1.0}}', '{"_meta":{"x":1.0},"cursor":"2"}']);
    expect(lessons).toMatchObject([
      { changes: [], faults: [{ path: "/result/tools/0" }] },
      { changes: [change], faults: [] },
    ]);
    expect(s.needs("a")).toBe(false);
  });

  it("tells the store whether its connection has listed the same tools before", async () => {
    const again: (boolean | undefined)[] = [];
    const { source: s } = source(async (_scope, _tools, same) => {
      again.push(same);
      return [];
    });
    for (const names of ["a", "a", "ab", "ab", "a"]) {
      const tools = [...names].map((name) => ({ name }));
      await s.learn(readFrame(answer({ tools })), undefined);
    }
    expect(again).toEqual([false, true, false, true, false]);
  });

  it("treats a list as complete if the server keeps sending the same cursor", async () => {
    const { source: s, lines } = source();
    const asked: string[] = [];
    const ask: SendOwnRequest = async (_method, params) => {
      asked.push(params);
      return answer({ tools: [{ name: "a" }], nextCursor: "" });
    };
    await s.ensure(ask, undefined, nothing);
    expect(asked).toEqual(["{}", '{"cursor":""}']);
    expect([s.needs("a"), s.book.complete, s.book.size]).toEqual([false, true, 1]);
    expect(lines).toEqual([]);
  });

  it.each([
    ["below its default", 3],
    ["above its default", MAX_TOOLS + 500],
  ])("reads as many tools as limits.tools allows: %s", async (_, most) => {
    const tools = Array.from({ length: most }, (_, n) => ({ name: `t${n}` }));
    const { source: whole } = source(async () => [], most);
    await whole.ensure(async () => answer({ tools }), undefined, nothing);
    expect(whole.book.size).toBe(most);
    expect(whole.lookup(`t${most - 1}`).contract).toBeDefined();
    expect(whole.lookup("other").gap?.code).toBe("unlisted");
    const { source: cut, lines } = source(async () => [], most);
    const longer = [...tools, { name: "last" }];
    await cut.ensure(async () => answer({ tools: longer }), undefined, nothing);
    expect(cut.lookup("last")).toMatchObject({ contract: undefined, gap: { code: "incomplete" } });
    expect(lines.join()).toContain(`limits.tools is ${most}`);
  });

  it.each([[7], [0], [true], [{}], [["2"]]])(
    "treats a list with the cursor %j as incomplete",
    async (nextCursor) => {
      const { source: s, lines } = source();
      await s.ensure(
        async () => answer({ tools: [{ name: "a" }], nextCursor }),
        undefined,
        nothing,
      );
      expect(s.lookup("a").contract).toBeDefined();
      expect(s.lookup("b")).toMatchObject({ contract: undefined, gap: { code: "incomplete" } });
      expect(s.lookup("b").gap?.reason).toMatch(/tool list is incomplete.*cursor is not a string/);
      expect(lines.join()).toMatch(/tool list is incomplete/);
    },
  );

  it("treats a null cursor as none", async () => {
    const { source: s } = source();
    const list = { tools: [{ name: "a" }], nextCursor: null };
    await s.ensure(async () => answer(list), undefined, nothing);
    expect(s.lookup("b").gap?.code).toBe("unlisted");
  });

  it("marks its list as used at most once an hour while calls need it", async () => {
    const { source: s, clock, used, lines } = source();
    const called = async (ms: number): Promise<number> => {
      clock.ms = ms;
      expect(s.needs("a")).toBe(false);
      return used.mock.calls.length;
    };
    const ask: SendOwnRequest = async () => answer({ tools: [{ name: "a" }] });
    expect(s.needs("a")).toBe(true);
    await s.ensure(ask, undefined, nothing);
    const hour = 3_600_000;
    expect(await called(hour - 1)).toBe(0);
    expect(await called(hour)).toBe(1);
    expect(used).toHaveBeenCalledWith(s.scope);
    expect(await called(2 * hour - 1)).toBe(1);
    used.mockRejectedValueOnce(new Error("locked"));
    expect(await called(9 * hour)).toBe(2);
    expect(await called(10 * hour)).toBe(3);
    expect(lines.join()).toContain("locked");
  });

  it("lets calls wait for a newer list, then checks by the last known one", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { source: s, lines } = source();
    await s.learn(readFrame(answer({ tools: [{ name: "a" }] })), undefined);
    expect(s.lookup("a").gap).toBeUndefined();
    let give = (_: Uint8Array): void => {};
    const ask: SendOwnRequest = () => new Promise((resolve) => (give = resolve));
    s.changed();
    let waiting = 2;
    for (const call of [s.ensure(ask, undefined, nothing), s.ensure(ask, undefined, nothing)]) {
      void call.then(() => (waiting -= 1));
    }
    await vi.advanceTimersByTimeAsync(29_000);
    expect([waiting, s.needs("a")]).toEqual([2, true]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([waiting, s.needs("a")]).toEqual([0, false]);
    expect(s.lookup("a")).toMatchObject({
      contract: { name: "a" },
      gap: { code: "unavailable", reason: "the server has not answered tools/list in time" },
    });
    expect(lines).toEqual([
      expect.stringContaining("has not answered tools/list yet"),
      expect.stringContaining("the tool list is late"),
    ]);
    give(answer({ tools: [{ name: "b" }] }));
    await vi.waitFor(() => expect(s.lookup("b").gap).toBeUndefined(), 20_000);
    expect(s.lookup("a")).toMatchObject({ contract: undefined, gap: { code: "unlisted" } });
    s.changed();
    await vi.waitFor(() => expect(s.needs("b")).toBe(true), 20_000);
  });

  it("does not block calls on a first list whose pages never end", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { source: s, lines } = source();
    let pages = 0;
    const ask: SendOwnRequest = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      pages += 1;
      return answer({ tools: [{ name: `t${pages}` }], nextCursor: String(pages) });
    };
    let goesOn = false;
    const call = s.ensure(ask, undefined, nothing).then(() => {
      goesOn = true;
    });
    await vi.advanceTimersByTimeAsync(29_000);
    expect(goesOn).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([goesOn, s.needs("a"), pages]).toEqual([true, false, 1]);
    await call;
    expect(s.get("t1")).toBeDefined();
    expect(lines).toEqual([
      expect.stringContaining("has not answered tools/list yet"),
      expect.stringContaining("the tool list is late"),
    ]);
  });

  const longList = () => {
    const inputSchema = { type: "object", description: "x".repeat(1_000) };
    const tools = Array.from({ length: MAX_TOOLS }, (_, n) => ({ name: `t${n}`, inputSchema }));
    return readFrame(answer({ tools }));
  };

  it("reads a long list in slices, and marks it stale if it changes meanwhile", async () => {
    const { source: s } = source();
    const list = longList();
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      // The server changes its list while the old list is being read.
      if (turns === 1) s.changed();
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await s.learn(list, undefined);
    isOver = true;
    expect(turns).toBeGreaterThan(1);
    expect(s.get("t9999")).toBeDefined();
    expect(s.needs("t1")).toBe(true);
    await s.learn(list, undefined);
    expect(s.needs("t1")).toBe(false);
  });

  it("parses a list once that many sessions get in the same bytes", async () => {
    const lists = new KnownToolLists();
    const shared = { lists, pool: new ContractPool() };
    const keep = vi.spyOn(lists, "keep");
    const page = readFrame(answer({ tools: [{ name: "a", inputSchema: {} }, 0, { name: "a" }] }));
    const other = readFrame(answer({ tools: [{ name: "a", inputSchema: true }], ttlMs: 5_000 }));
    const sessions = [1, 2, 3].map(() => source(undefined, undefined, shared));
    const faults: unknown[] = [];
    for (const { source: s } of sessions) faults.push((await s.learn(page, undefined)).faults);
    expect(keep).toHaveBeenCalledTimes(1);
    expect(faults[1]).toHaveLength(2);
    expect(faults[1]).toEqual(faults[0]);
    const [first, second] = sessions.map(({ source: s }) => s);
    expect(second?.get("a")).toBe(first?.get("a"));
    expect([...(second?.book.repeated ?? [])]).toEqual(["a"]);
    await second?.learn(other, undefined);
    expect(second?.get("a")).not.toBe(first?.get("a"));
    expect(first?.get("a")?.inputText).toBeUndefined();
  });

  it("logs once that a list has more tools than are kept", async () => {
    const { source: s, lines } = source();
    const list = (length: number) =>
      readFrame(answer({ tools: Array.from({ length }, (_, n) => ({ name: `t${n}` })) }));
    await s.learn(list(MAX_TOOLS), undefined);
    expect(lines).toEqual([]);
    for (let i = 0; i < 2; i += 1) await s.learn(list(MAX_TOOLS + 1), undefined);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("limits.tools is 10000");
    expect(s.lookup(`t${MAX_TOOLS}`).gap).toMatchObject({ code: "incomplete" });
  });

  it("asks again after a change elsewhere, but not for every one of many", async () => {
    const { source: s, clock, notices } = source();
    const list = readFrame(answer({ tools: [{ name: "a" }] }));
    await s.learn(list, undefined);
    const told = async (): Promise<boolean> => {
      notices.count += 1;
      const needed = s.needs("a");
      if (needed) await s.learn(list, undefined);
      return needed;
    };
    expect([s.needs("a"), await told(), s.needs("a")]).toEqual([false, true, false]);
    clock.ms = 9_999;
    expect([await told(), await told()]).toEqual([false, false]);
    // The change that was reported during the read still counts.
    clock.ms = 10_000;
    expect(s.needs("a")).toBe(true);
    await s.learn(list, undefined);
    expect(s.needs("a")).toBe(false);
  });

  it("checks by a list that could not be stored", async () => {
    const { source: s, lines } = source(() => Promise.reject(new Error("disk full")));
    await s.learn(readFrame(answer({ tools: [{ name: "a", inputSchema: {} }] })), undefined);
    expect(s.get("a")?.input).toBeDefined();
    expect(lines.join("")).toContain("disk full");
  });

  it("sends one request for all waiting calls, and retries a failure only after a while", async () => {
    const { source: s, lines, clock } = source();
    let asked = 0;
    const ask: SendOwnRequest = async () => {
      asked += 1;
      throw new Error("no answer");
    };
    expect(s.needs("a")).toBe(true);
    await Promise.all([s.ensure(ask, undefined, nothing), s.ensure(ask, undefined, nothing)]);
    expect([asked, s.needs("a")]).toEqual([1, false]);
    expect(lines).toEqual([expect.stringContaining("cannot be checked")]);
    clock.ms = 4_999;
    expect(s.needs("a")).toBe(false);
    clock.ms = 5_000;
    expect(s.needs("a")).toBe(true);
  });
});

describe("askForTools", () => {
  const drain = async (ask: SendOwnRequest): Promise<number> => {
    let pages = 0;
    for await (const _ of askForTools(ask, undefined)) pages += 1;
    return pages;
  };

  it("stops if the pages never end", async () => {
    let pages = 0;
    const ask: SendOwnRequest = async () => answer({ tools: [], nextCursor: String(++pages) });
    expect(await drain(ask)).toBe(MAX_PAGES);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}', /with error -32601: x$/],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}', /with error$/],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', /has no list/],
    ['{"jsonrpc":"2.0","id":1,"result":{"tools":{}}}', /has no list/],
    ["nonsense", /has no list/],
  ])("explains why there is no list: %s", async (text, reason) => {
    await expect(drain(async () => Buffer.from(text))).rejects.toThrow(reason);
  });
});
