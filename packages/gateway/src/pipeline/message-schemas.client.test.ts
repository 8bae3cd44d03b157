import { describe, expect, it } from "vitest";
import {
  all,
  call,
  Harness,
  initializeParams,
  LEGACY,
  MODERN,
  PLAIN,
  parse,
  request,
  result,
  told,
  toolList,
} from "./testing/harness.ts";

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
    // The second response to "s" answers no pending request.
    for (const text of [GOOD, result(1, "5"), result("s", "5")]) {
      const frame = h.read(text);
      expect((await h.client(frame)).onward).toBe(frame.bytes);
    }
    expect(h.records("policy_decision")).toEqual([]);
  });
});

describe("a request without _meta, after the server has served 2026-07-28", () => {
  const LIST = { jsonrpc: "2.0", id: 7, method: "tools/list" };
  const CALL = call(8, "plain", "{}");
  const served = async (mode: "warn" | "strict", whole = true): Promise<Harness> => {
    const h = new Harness({ settings: all(mode), whole, revision: undefined });
    await h.client(request(0, "tools/list", {}, MODERN));
    await h.server({ jsonrpc: "2.0", id: 0, result: toolList([PLAIN], MODERN) });
    return h;
  };

  it("is answered with -32602 in strict, and forwarded with a warning in warn", async () => {
    const strict = await served("strict");
    for (const [message, id] of [[LIST, 7] as const, [CALL, 8] as const]) {
      const { onward, back } = await strict.client(message);
      expect(onward).toBeUndefined();
      expect(back?.map(parse)).toMatchObject([{ id, error: { code: -32602 } }]);
    }
    expect(strict.pipeline.pending).toBe(0);
    const warn = await served("warn");
    const frame = warn.read(CALL);
    expect((await warn.client(frame)).onward).toBe(frame.bytes);
    expect(told(warn)).toEqual([["protocol", "warning", "/params/_meta"]]);
  });

  it("is forwarded to a server that has not shown which revision it serves", async () => {
    const h = new Harness({ settings: all("strict"), whole: true, revision: undefined });
    await h.client(request(0, "server/discover", {}, MODERN));
    await h.server({ jsonrpc: "2.0", id: 0, error: { code: -32601, message: "no" } });
    const frame = h.read(LIST);
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    expect(told(h)).toEqual([]);
  });

  it("is forwarded after a handshake, which a server of both eras allows", async () => {
    const h = await served("strict");
    await h.client({ jsonrpc: "2.0", id: 1, method: "initialize", params: initializeParams() });
    const serverInfo = { name: "s", version: "1" };
    const opened = { protocolVersion: LEGACY, capabilities: { tools: {} }, serverInfo };
    await h.server({ jsonrpc: "2.0", id: 1, result: opened });
    await h.client({ jsonrpc: "2.0", method: "notifications/initialized" });
    const frame = h.read(LIST);
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    expect(told(h)).toEqual([]);
  });

  it("is forwarded if others use the connection, and if it is a notification", async () => {
    const shared = await served("strict", false);
    const frame = shared.read(LIST);
    expect((await shared.client(frame)).onward).toBe(frame.bytes);
    const h = await served("strict");
    const notification = h.read({ jsonrpc: "2.0", method: "vendor/seen" });
    expect((await h.client(notification)).onward).toBe(notification.bytes);
  });
});
