import { SchemaCache } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { ContractList, type ContractPage, MAX_TOOLS } from "./contract-list.ts";
import { ContractPool } from "./pool.ts";

const text = (schema: string): Uint8Array => Buffer.from(schema);
const tools = (...names: string[]) => names.map((name) => ({ name, inputSchema: text("{}") }));

describe("the books of one server", () => {
  it("share one contract for identical tools", () => {
    const pool = new ContractPool();
    const cache = new SchemaCache();
    const [first, second] = [0, 1].map(() => new ContractList(cache, () => 0, pool));
    first?.learn({ tools: tools("a", "b") });
    second?.learn({ tools: [...tools("a"), { name: "b", inputSchema: text("true") }] });
    expect(second?.get("a")).toBe(first?.get("a"));
    expect(second?.get("b")).not.toBe(first?.get("b"));
    expect(pool.size).toBe(3);
  });
});

function fresh(): {
  book: ContractList;
  learn: (page: ContractPage) => boolean;
  clock: { ms: number };
} {
  const clock = { ms: 0 };
  const book = new ContractList(new SchemaCache(), () => clock.ms);
  return { book, learn: (page) => book.learn(page), clock };
}
const names = (book: ContractList): string[] => [...book.all()].map(({ name }) => name);

describe("ContractList", () => {
  it("uses each page at once until a list is complete", () => {
    const { book, learn } = fresh();
    expect(book.stale).toBe(true);
    expect(learn({ tools: tools("a"), next: "2" })).toBe(false);
    expect([names(book), book.stale]).toEqual([["a"], true]);
    expect(learn({ tools: tools("b"), cursor: "2" })).toBe(true);
    expect([names(book), book.stale]).toEqual([["a", "b"], false]);
  });

  it("keeps a complete list in force until the next one is complete", () => {
    const { book, learn } = fresh();
    learn({ tools: tools("a", "b") });
    learn({ tools: tools("c"), next: "2" });
    expect(names(book)).toEqual(["a", "b"]);
    learn({ tools: tools("d"), cursor: "2" });
    expect(names(book)).toEqual(["c", "d"]);
  });

  it("becomes stale when a page shows a changed tool", () => {
    const { book, learn } = fresh();
    learn({ tools: tools("a", "b") });
    learn({ tools: tools("a"), next: "2" });
    expect(book.stale).toBe(false);
    learn({ tools: [{ name: "a", inputSchema: text("true") }], next: "2" });
    expect([names(book), book.stale]).toEqual([["a", "b"], true]);
    learn({ tools: tools("b"), cursor: "2" });
    expect(book.stale).toBe(false);
  });

  it("ignores a page that is out of sequence", () => {
    const { book, learn } = fresh();
    learn({ tools: tools("a"), next: "2" });
    expect(learn({ tools: tools("z"), cursor: "9" })).toBe(false);
    expect(book.stale).toBe(true);
    learn({ tools: tools("b"), cursor: "2" });
    for (let i = 0; i < 2; i += 1) expect(learn({ tools: tools("b"), cursor: "2" })).toBe(false);
    expect(names(book)).toEqual(["a", "b"]);
  });

  it("reads several lists at the same time", () => {
    const { book, learn } = fresh();
    learn({ tools: tools("a"), next: "x2" });
    learn({ tools: tools("a"), next: "y2" });
    learn({ tools: tools("b"), cursor: "y2", next: "y3" });
    expect(learn({ tools: tools("bc"), cursor: "x2" })).toBe(true);
    expect(names(book)).toEqual(["a", "bc"]);
    expect(learn({ tools: tools("c"), cursor: "y3" })).toBe(true);
    expect(names(book)).toEqual(["a", "b", "c"]);
  });

  it("is stale after a change, even one during a list read", () => {
    const { book, learn } = fresh();
    learn({ tools: tools("a") });
    book.markStale();
    expect(book.stale).toBe(true);
    learn({ tools: tools("a"), next: "2" });
    book.markStale();
    learn({ tools: tools("b"), cursor: "2" });
    expect(book.stale).toBe(true);
    learn({ tools: tools("a") });
    expect(book.stale).toBe(false);
  });

  it.each([
    [undefined, 1e9, false],
    [5_000, 4_999, false],
    [5_000, 5_000, true],
    [0, 999, false],
    [0, 1_000, true],
  ])("with ttlMs %s after %i ms: stale is %s", (ttlMs, ms, stale) => {
    const { book, learn, clock } = fresh();
    learn({ tools: tools("a"), ...(ttlMs === undefined ? {} : { ttlMs }) });
    clock.ms = ms;
    expect(book.stale).toBe(stale);
  });

  it("keeps the compiled schema of an unchanged tool", () => {
    const { book, learn } = fresh();
    learn({ tools: tools("a", "b") });
    const [a, b] = [book.get("a"), book.get("b")];
    learn({ tools: [...tools("a"), { name: "b", inputSchema: text("{} ") }] });
    expect(book.get("a")).toBe(a);
    expect(book.get("b")).not.toBe(b);
    expect(book.get("b")?.inputHash).not.toBe(b?.inputHash);
  });

  it("stays bounded by endless lists", () => {
    const { book, learn } = fresh();
    const many = (from: number) =>
      tools(...Array.from({ length: 6_000 }, (_, i) => `t${from + i}`));
    learn({ tools: many(0), next: "0" });
    expect(book.overflowed).toBe(false);
    for (const from of [6_000, 12_000]) learn({ tools: many(from), next: `${from}` });
    expect(book.size).toBe(MAX_TOOLS);
    expect(book.overflowed).toBe(true);
    learn({ tools: [...many(0), ...many(6_000)] });
    expect(book.size).toBe(MAX_TOOLS);
  });

  it("reports that a page was only partly read", () => {
    const { book, learn } = fresh();
    learn({ tools: tools("a"), cut: false });
    expect(book.overflowed).toBe(false);
    learn({ tools: tools("a"), cut: true });
    expect([names(book), book.overflowed]).toEqual([["a"], true]);
  });

  it("keeps tools apart whose names are those of object members", () => {
    const { book, learn } = fresh();
    learn({ tools: tools("__proto__") });
    expect(book.get("constructor")).toBeUndefined();
    expect(book.get("__proto__")?.input?.validateText("1").outcome).toBe("pass");
  });
});
