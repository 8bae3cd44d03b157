import { expect, it, vi } from "vitest";
import { listTools } from "./tool-list.ts";

const named = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `t${from + n}`, inputSchema: {} }));

it("requests every page with the previous cursor", async () => {
  const handler = vi
    .fn()
    .mockReturnValueOnce({ tools: [{ name: "a", inputSchema: {} }], nextCursor: "2" })
    .mockResolvedValueOnce({ tools: [{ name: "b", inputSchema: {}, outputSchema: {} }] });
  expect([...(await listTools(handler, "context")).values()]).toEqual([
    { name: "a", inputSchema: {}, outputSchema: undefined },
    { name: "b", inputSchema: {}, outputSchema: {} },
  ]);
  expect(handler.mock.calls).toMatchObject([
    [{ method: "tools/list", params: {} }, "context"],
    [{ method: "tools/list", params: { cursor: "2" } }, "context"],
  ]);
});

it("cuts a list that never ends at 100 pages", async () => {
  let page = 0;
  const handler = vi.fn(() => ({ tools: named(page++, 1), nextCursor: "more" }));
  expect((await listTools(handler, undefined)).size).toBe(100);
  expect(handler).toHaveBeenCalledTimes(100);
});

it("cuts a list at 10,000 tools", async () => {
  const handler = vi.fn(() => ({ tools: named(0, 10_001) }));
  expect((await listTools(handler, undefined)).size).toBe(10_000);
});

it.each([
  ["no handler", undefined],
  ["no list", () => ({})],
  ["a list that is none", () => ({ tools: "x", nextCursor: 5 })],
  ["tools that cannot be read", () => ({ tools: [null, 5, {}, { name: 5 }] })],
])("returns no tools if there is %s", async (_name, handler) => {
  expect((await listTools(handler, undefined)).size).toBe(0);
});
