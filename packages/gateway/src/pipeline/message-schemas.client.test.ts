import { describe, expect, it } from "vitest";
import { all, Harness, LEGACY, MODERN, parse, result, told } from "./testing/harness.ts";

describe("a client's message that violates its revision's schema", () => {
  it.each<[string, string, object, string]>([
    ["no name", LEGACY, { method: "prompts/get", params: {} }, "/params/name"],
    ["no params", LEGACY, { method: "resources/read" }, "/params"],
    ["a wrong _meta", LEGACY, { method: "tools/list", params: { _meta: 5 } }, "/params/_meta"],
    ["no _meta", MODERN, { method: "tools/list", params: {} }, "/params/_meta"],
  ])("is answered with -32602 in strict: %s", async (_name, revision, message, path) => {
    const h = new Harness({ settings: all("strict"), revision });
    const { onward, back } = await h.client({ jsonrpc: "2.0", id: "r", ...message });
    expect(onward).toBeUndefined();
    expect(back?.map(parse)).toMatchObject([
      { id: "r", error: { code: -32602, data: { issues: [{ path }] } } },
    ]);
    expect(told(h)).toEqual([["protocol", "blocked", path]]);
    expect(h.pipeline.pending).toBe(0);
  });

  const ASKS = {
    jsonrpc: "2.0",
    id: "s",
    method: "sampling/createMessage",
    params: { messages: [], maxTokens: 1 },
  };
  const sampled = (more: object): string =>
    result("s", JSON.stringify({ role: "assistant", model: "m", ...more }));
  const GOOD = sampled({ content: { type: "text", text: "hi" } });

  it.each(["off", "warn", "strict"] as const)(
    "is forwarded as a response to sampling, in %s",
    async (mode) => {
      const h = new Harness({ settings: all(mode) });
      await h.server(ASKS);
      const frame = h.read(sampled({}));
      const { onward, back } = await h.client(frame);
      expect(back).toBeUndefined();
      if (mode === "strict") {
        expect(parse(onward)).toMatchObject({
          id: "s",
          error: { code: -32603, data: { issues: [{ path: "/result/content" }] } },
        });
      } else expect(onward).toBe(frame.bytes);
      const decision = mode === "strict" ? "blocked" : "warning";
      expect(told(h)).toEqual(mode === "off" ? [] : [["protocol", decision, "/result/content"]]);
    },
  );

  it("is checked only as the response to the request with its id", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.server(ASKS);
    await h.server({ ...ASKS, id: 1, method: "vendor/ask" });
    // The second to "s" answers nothing anymore.
    for (const text of [GOOD, result(1, "5"), result("s", "5")]) {
      const frame = h.read(text);
      expect((await h.client(frame)).onward).toBe(frame.bytes);
    }
    expect(h.records("policy_decision")).toEqual([]);
  });
});
