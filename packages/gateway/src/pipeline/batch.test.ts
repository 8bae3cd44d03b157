import { describe, expect, it } from "vitest";
import type { Mode } from "../settings/validation.ts";
import { ADD, all, call, Harness, parse, result, structured } from "./testing/harness.ts";

const MODES: Mode[] = ["off", "warn", "strict"];
const list = (bytes: Uint8Array | undefined): unknown =>
  JSON.parse(Buffer.from(bytes ?? []).toString());

describe("a batch from the client", () => {
  it("is forwarded byte for byte if every item passes", async () => {
    const h = new Harness({ settings: all("strict"), revision: "2025-03-26" });
    await h.list([ADD]);
    const frame = h.read(`[ ${call(1, "add", '{"a":1}')} ,\t${call(2, "add", '{"a":2.0}')}]`);
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    expect(h.pipeline.pending).toBe(2);
  });

  it("is forwarded without blocked items, which get their own responses", async () => {
    const h = new Harness({ settings: all("strict"), revision: "2025-03-26" });
    await h.list([ADD]);
    const good = call(2, "add", '{"a":2.0}');
    const frame = h.read(`[${call(1, "add", "{}")}, ${good} ,${call(3, "add", "[]")}]`);
    const { onward, back } = await h.client(frame);
    expect(Buffer.from(onward ?? []).toString()).toBe(`[${good}]`);
    expect(back?.map(parse)).toMatchObject([{ id: 1 }, { id: 3 }]);
    expect(h.records("policy_decision")).toHaveLength(2);
    expect(h.records("tool_call")).toHaveLength(2);
  });

  it("with a duplicate id gets an error for the second request", async () => {
    const h = new Harness({ settings: all("strict"), revision: "2025-03-26" });
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const { onward, back } = await h.client(`[${ping},${ping}]`);
    expect(list(onward)).toEqual([JSON.parse(ping)]);
    expect(back).toHaveLength(1);
  });

  it.each(MODES)("that is empty is blocked only in strict: %s", async (mode) => {
    const h = new Harness({ settings: all(mode), revision: "2025-03-26" });
    for (const send of [h.client, h.server]) {
      const frame = h.read(" [ ] ");
      const { onward } = await send.call(h, frame);
      expect(onward).toBe(mode === "strict" ? undefined : frame.bytes);
    }
  });

  it.each(MODES)("cannot hide a call in a nested batch: %s", async (mode) => {
    const h = new Harness({ settings: all(mode), revision: "2025-03-26" });
    await h.list([ADD]);
    const frame = h.read(`[[${call(1, "add", "[]")}]]`);
    const { onward } = await h.client(frame);
    expect(onward).toBe(mode === "strict" ? undefined : frame.bytes);
    expect(h.records("policy_decision")).toHaveLength(mode === "off" ? 0 : 1);
    const answers = h.read(`[[${result(1, "{}")}]]`);
    expect((await h.server(answers)).onward).toBe(mode === "strict" ? undefined : answers.bytes);
  });

  it("with over 1000 messages is refused, with an error for each request", async () => {
    const h = new Harness({ settings: all("off") });
    const items = Array.from({ length: 1_001 }, (_, id) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }),
    );
    const { onward, back } = await h.client(`[${items.join()}]`);
    expect(onward).toBeUndefined();
    expect(back).toHaveLength(1_001);
    const guard = { guard: "maxBatch", limit: 1_000, actual: 1_001 };
    expect(h.records("policy_decision")).toMatchObject([{ outcome: "guard", guard }]);
    const { onward: passed } = await h.client(`[${items.slice(1).join()}]`);
    expect(passed).toBeDefined();
    const answers = Array.from({ length: 1_001 }, (_, id) => result(id, "{}"));
    expect(await h.client(`[${answers.join()}]`)).toEqual({});
    const refused = await h.server(`[${answers.join()}]`);
    expect(list(refused.onward)).toHaveLength(1_000);
    expect(h.pipeline.pending).toBe(0);
  });
});

describe("a batch from the server", () => {
  it("is checked item by item", async () => {
    const h = new Harness({ settings: all("strict"), revision: "2025-03-26" });
    await h.list([ADD]);
    await h.client(`[${call(1, "add", '{"a":1}')},${call(2, "add", '{"a":1}')}]`);
    const good = structured(2, '{"sum":3.0}');
    const { onward } = await h.server(
      `[${structured(1, "{}")},${good},{"jsonrpc":"1.0","id":"s","method":"x"}]`,
    );
    const [stand, same] = list(onward) as object[];
    expect(stand).toMatchObject({ id: 1, result: { isError: true } });
    expect(JSON.stringify(same)).toBe(JSON.stringify(JSON.parse(good)));
    expect(h.records("tool_call").map(({ status }) => status)).toEqual(["blocked", "success"]);
  });

  it.each(["off", "warn"] as const)("keeps its bytes in %s, even invalid items", async (mode) => {
    const h = new Harness({ settings: all(mode), revision: "2025-03-26" });
    const frame = h.read('[ 1,{"a":1},{"jsonrpc":"2.0","id":4},"x", {"id":1,"result":1.0}]');
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });
});
