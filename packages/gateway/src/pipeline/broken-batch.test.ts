import { describe, expect, it } from "vitest";
import type { Mode } from "../settings/validation.ts";
import { ADD, all, call, Harness, structured } from "./testing/harness.ts";

const MODES: Mode[] = ["off", "warn", "strict"];
const good = (id: number | string): string => structured(id as number, '{"sum":3}');
const answered = (bytes: Uint8Array | undefined): { id: unknown; error: { code: number } }[] =>
  bytes === undefined ? [] : JSON.parse(Buffer.from(bytes).toString());

/** A conversation in which the given batches of calls are pending. */
async function waiting(mode: Mode, ...batches: number[][]): Promise<Harness> {
  const h = new Harness({ settings: all(mode), revision: "2025-03-26" });
  await h.list([ADD]);
  for (const ids of batches) {
    await h.client(`[${ids.map((id) => call(id, "add", '{"a":1}')).join()}]`);
  }
  return h;
}

describe("a broken batch of responses", () => {
  const table = MODES.flatMap((mode) =>
    (
      [
        ["cut off behind its first id", `[${good(1)},{"jsonrpc":"2.0","id":2,"res`, [1, 2, 3]],
        ["cut off in its first answer", '[{"jsonrpc":"2.0","id":1', []],
        ["with a fault, all ids legible", `[{"id":1,"result":NaN},${good(2)}]`, [1, 2]],
        ["with ids last", '[{"result":NaN,"jsonrpc":"2.0","id":5},{"result":{"x', []],
        ["with unknown ids", `[${good(9)},{"id":`, []],
        ["of requests of the server's own", '[{"jsonrpc":"2.0","id":1,"method":"ping"},{', []],
      ] as const
    ).map((row) => [mode, ...row] as const),
  );
  it.each(table)(
    "in %s mode, %s, ends only the requests that it answers for sure",
    async (mode, _name, text, ids) => {
      const h = await waiting(mode, [1, 2, 3], [4, 5]);
      const { onward, back } = await h.server(text);
      expect(back).toBeUndefined();
      expect(answered(onward).map(({ id }) => id)).toEqual(ids);
      for (const { error } of answered(onward)) expect(error.code).toBe(-32603);
      expect(h.pipeline.pending).toBe(5 - ids.length);
      expect(h.records("tool_call").map(({ status }) => status)).toEqual(ids.map(() => "blocked"));
      expect(h.records("policy_decision")).toHaveLength(mode === "off" ? 0 : 1);
      expect(h.lines.filter((line) => line.includes("protocol blocked"))).toHaveLength(1);
    },
  );

  it("without readable ids ends the only pending batch, and no other request", async () => {
    const h = await waiting("warn", [1, 2]);
    await h.client(call(7, "add", '{"a":1}'));
    const { onward } = await h.server('[{"jsonrpc":"2.0","result":{"x');
    expect(answered(onward).map(({ id }) => id)).toEqual([1, 2]);
    expect(h.pipeline.pending).toBe(1);
  });

  it.each([
    [
      "of which only the head is kept",
      `[${good(1)},{"jsonrpc":"2.0","id":2,"result":{"x`,
      [1, 2, 3],
    ],
    ["that is kept whole", `[${good(1)},${good(2)}]`, [1, 2]],
    ["of no legible id", '[{"jsonrpc":"2.0","result":{"x', []],
    ["of requests of the server's own", '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"x', []],
  ] as const)(
    "over the limit, %s, ends only the requests that it answers for sure",
    async (_name, text, ids) => {
      const h = await waiting("off", [1, 2, 3], [4, 5]);
      const head = new TextEncoder().encode(text);
      const { onward, back } = await h.pipeline.oversize(
        "server",
        { head, tail: head, size: 99 },
        50,
      );
      expect(back).toBeUndefined();
      expect(answered(onward).map(({ id }) => id)).toEqual(ids);
      expect(h.pipeline.pending).toBe(5 - ids.length);
      expect(h.records("tool_call").map(({ status }) => status)).toEqual(ids.map(() => "blocked"));
      expect(h.records("policy_decision")).toMatchObject([{ outcome: "guard" }]);
      // These requests already have their errors, so a later response is dropped.
      if (ids.length > 0) expect(await h.server(good(1))).toEqual({});
    },
  );

  it("that holds only requests ends no pending request", async () => {
    const h = await waiting("warn", [1, 2]);
    expect(await h.server('[{"jsonrpc":"2.0","id":1,"method":"ping"}')).toEqual({});
    expect(h.pipeline.pending).toBe(2);
  });

  it("also answers a canceled request, which the client may still be waiting for", async () => {
    const h = await waiting("warn", [1, 2]);
    const params = { requestId: 1 };
    await h.client({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    const { onward } = await h.server(`[${good(1)},{"jsonrpc":"2.0","id":2,"res`);
    expect(answered(onward).map(({ id }) => id)).toEqual([1, 2]);
    expect(h.records("tool_call").map(({ status }) => status)).toEqual(["error", "blocked"]);
  });

  it("does not answer a request twice", async () => {
    const h = await waiting("warn", [1, 2, 3]);
    await h.server(good(2));
    const { onward } = await h.server(`[${good(1)},{"jsonrpc":`);
    expect(answered(onward).map(({ id }) => id)).toEqual([1, 3]);
  });

  it("is final: later responses do not reach the client", async () => {
    const h = await waiting("warn", [1, 2]);
    await h.server(`[${good(1)},{"jsonrpc":`);
    expect(await h.server(`[${good(1)},${good(2)}]`)).toEqual({});
    expect(h.records("tool_call")).toHaveLength(2);
    // The ids can be used again.
    await h.client(`[${call(1, "add", '{"a":1}')}]`);
    const again = h.read(`[${good(1)}]`);
    expect((await h.server(again)).onward).toBe(again.bytes);
  });
});
