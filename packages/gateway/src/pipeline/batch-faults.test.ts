import { describe, expect, it } from "vitest";
import { all, Harness, initializeParams, parse, result, told } from "./testing/harness.ts";

const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const NONE = ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"];

describe("a batch", () => {
  it.each(["2025-03-26", undefined])("is forwarded under %s without a record", async (revision) => {
    const h = new Harness({ settings: all("strict"), revision });
    const frame = h.read(`[${ping(1)},${ping(2)}]`);
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    const answers = h.read(`[${result(1, "{}")},${result(2, "{}")}]`);
    expect((await h.server(answers)).onward).toBe(answers.bytes);
    expect(h.records("policy_decision")).toEqual([]);
  });

  it.each(NONE)(
    "under %s is forwarded with a warning for each of its messages",
    async (revision) => {
      const h = new Harness({ settings: all("warn"), revision });
      const items = [
        { jsonrpc: "2.0", method: "notifications/x" },
        { jsonrpc: "2.0", method: "y/z", id: 1 },
      ];
      const frame = h.read(JSON.stringify(items));
      expect((await h.client(frame)).onward).toBe(frame.bytes);
      expect(told(h)).toMatchObject([
        ["protocol", "warning", ""],
        ["protocol", "warning", ""],
      ]);
      expect(h.lines.join("")).toContain(`MCP ${revision} has no batches`);
    },
  );

  it("is reported along with the other issues of a message", async () => {
    const h = new Harness({ settings: all("warn") });
    await h.client('[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}]');
    expect(told(h)).toEqual([
      ["protocol", "warning", "/params/name", ""],
      ["input", "warning", ""],
    ]);
  });

  it("is blocked in strict, with an error for each request and none for other messages", async () => {
    const h = new Harness({ settings: all("strict") });
    const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    const { onward, back } = await h.client(`[${ping(1)},${note},${ping(2)}]`);
    expect(onward).toBeUndefined();
    expect(back?.map(parse)).toMatchObject([
      { id: 1, error: { code: -32600, data: { issues: [{ path: "", rule: "protocol" }] } } },
      { id: 2, error: { code: -32600 } },
    ]);
    expect(h.pipeline.pending).toBe(0);
    await h.client(ping(3));
    const answer = await h.server(`[${result(3, "{}")}]`);
    expect(JSON.parse(Buffer.from(answer.onward ?? []).toString())).toMatchObject([
      { id: 3, error: { code: -32603 } },
    ]);
  });

  it("is not reported if messages are not checked", async () => {
    const h = new Harness({ settings: all("off") });
    const frame = h.read(`[${ping(1)}]`);
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    expect(h.records("policy_decision")).toEqual([]);
  });

  it.each(["warn", "strict"] as const)("must not contain initialize: %s", async (mode) => {
    const h = new Harness({ settings: all(mode), revision: undefined });
    const params = JSON.stringify(initializeParams("2025-03-26"));
    const first = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":${params}}`;
    const frame = h.read(`[${first},${ping(1)}]`);
    const { onward, back } = await h.client(frame);
    if (mode === "warn") expect(onward).toBe(frame.bytes);
    else expect(Buffer.from(onward ?? []).toString()).toBe(`[${ping(1)}]`);
    expect(back?.map(parse)).toEqual(
      mode === "warn" ? undefined : [expect.objectContaining({ id: 0, error: expect.anything() })],
    );
    expect(h.records("policy_decision").map(({ reason }) => reason)).toEqual([
      expect.stringContaining("initialize must not be part of a batch"),
    ]);
  });
});
