import { describe, expect, it } from "vitest";
import { ADD, all, call, Harness, modes, told, toolList } from "./testing/harness.ts";

/** Sends a call before any list, so that the gateway requests the list itself. */
async function asking(h: Harness, answer: object | string): Promise<void> {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  h.ask = async () => Buffer.from(text);
  await h.client(call(1, "add", '{"a":1}'));
}

const list = (more: object = {}, tools: readonly object[] = [ADD]): object => ({
  jsonrpc: "2.0",
  id: 7,
  result: { ...toolList(tools), ...more },
});

describe("a list that the gateway fetched itself", () => {
  it("leaves no record if it is valid", async () => {
    const h = new Harness({ settings: all("strict") });
    await asking(h, list());
    expect(told(h)).toEqual([]);
  });

  it.each(["warn", "strict"] as const)(
    "is checked like any other, recorded, and used anyway: %s",
    async (mode) => {
      const h = new Harness({ settings: all(mode) });
      await asking(h, list({ nextCursor: 3 }));
      expect(told(h)).toEqual([["protocol", "warning", "/result/nextCursor"]]);
      expect(h.pipeline.conversation.contracts("2025-11-25").get("add")).toBeDefined();
    },
  );

  it("has a fault inside one tool reported once", async () => {
    const h = new Harness();
    await asking(h, list({}, [ADD, { name: 1, inputSchema: { type: "object" } }]));
    expect(h.records("policy_decision")).toHaveLength(1);
    expect(told(h)).toEqual([["protocol", "warning", "/result/tools/1/name"]]);
  });

  it("has a separate record for each faulty tool", async () => {
    const h = new Harness({ settings: all("strict") });
    const bad = (name: unknown): object => ({ ...ADD, name, description: 5, title: 6 });
    await asking(h, list({}, [ADD, bad("sub"), bad(7), bad("mul")]));
    const records = h.records("policy_decision");
    expect(records.map(({ tool, decision, issues }) => [tool, decision, issues?.length])).toEqual([
      [null, "warning", 3],
      ["sub", "warning", 2],
      ["mul", "warning", 2],
    ]);
    expect(new Set(records.map(({ request_id }) => request_id)).size).toBe(1);
    for (const { reason } of records) expect(reason).toMatch(/^noted in every mode: /);
  });

  it("is reported if it has duplicate keys", async () => {
    const h = new Harness();
    await asking(h, '{"jsonrpc":"2.0","id":7,"id":7,"result":{"tools":[]}}');
    expect(h.records("policy_decision").flatMap(({ issues }) => issues)).toMatchObject([
      { rule: "duplicate" },
      { rule: "schema", keyword: "unlisted" },
    ]);
  });

  it("is checked even if it is not a list, or a malformed error", async () => {
    for (const answer of [
      { jsonrpc: "2.0", id: 7, result: {} },
      { jsonrpc: "2.0", id: 7, error: { code: "x", message: "no" } },
    ]) {
      const h = new Harness();
      await asking(h, answer);
      expect(h.records("policy_decision").map(({ direction }) => direction)).toEqual([
        "protocol",
        "input",
      ]);
    }
  });

  it("is not checked if messages are not checked", async () => {
    const h = new Harness({ settings: modes({ protocol: "off" }) });
    await asking(h, list({ nextCursor: 3 }));
    expect(told(h)).toEqual([]);
  });
});
