import { describe, expect, it } from "vitest";
import { NOTED_PREFIX } from "../../../records/src/rollout/words.ts";
import {
  ADD,
  all,
  call,
  Harness,
  initializeParams,
  type Json,
  LEGACY,
  MODERN,
  parse,
  result,
  told,
  toolResult,
} from "./testing/harness.ts";

const notify = (method: string, params: object = {}): object => ({
  jsonrpc: "2.0",
  method,
  params,
});
const progress = (token: unknown, value: number): object =>
  notify("notifications/progress", { progressToken: token, progress: value });
const token = ',"_meta":{"progressToken":7}';

/** A conversation after a handshake in which neither side has declared anything. */
async function started(
  mode: "warn" | "strict",
  server: object = {},
  revision: string = LEGACY,
): Promise<Harness> {
  const h = new Harness({ settings: all(mode), whole: true, revision: undefined });
  const params = initializeParams(revision);
  await h.client({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const serverInfo = { name: "s", version: "1" };
  await h.server({
    jsonrpc: "2.0",
    id: 0,
    result: { protocolVersion: revision, capabilities: { tools: {}, ...server }, serverInfo },
  });
  await h.client(notify("notifications/initialized"));
  await h.list([ADD]);
  return h;
}

describe("a message that earlier messages forbid", () => {
  it.each<[string, string, readonly ["client" | "server", Json][], Json]>([
    [
      "progress without a token",
      "/params/progressToken",
      [["client", call(1, "add", '{"a":1}')]],
      progress(7, 1),
    ],
    [
      "progress that stays",
      "/params/progress",
      [
        ["client", call(1, "add", '{"a":1}', token)],
        ["server", progress(7, 1)],
      ],
      progress(7, 1),
    ],
    [
      "progress after the answer",
      "/params/progressToken",
      [
        ["client", call(1, "add", '{"a":1}', token)],
        ["server", toolResult(1)],
      ],
      progress(7, 1),
    ],
    [
      "a list_changed that was not declared",
      "/method",
      [],
      notify("notifications/tools/list_changed"),
    ],
    [
      "a log message that was not declared",
      "/method",
      [],
      notify("notifications/message", { level: "info", data: 1 }),
    ],
  ])("is dropped only in strict if it is a notification: %s", async (_name, path, before, last) => {
    for (const mode of ["warn", "strict"] as const) {
      const h = await started(mode);
      for (const [side, message] of before) await h[side](message);
      const frame = h.read(last);
      expect(await h.server(frame)).toEqual(mode === "warn" ? { onward: frame.bytes } : {});
      expect(told(h)).toEqual([["protocol", mode === "warn" ? "warning" : "blocked", path]]);
    }
  });

  it("is answered in strict if it is a server's request", async () => {
    const h = await started("strict");
    const { onward, back } = await h.server({ jsonrpc: "2.0", id: "q", method: "roots/list" });
    expect(onward).toBeUndefined();
    expect(back?.map(parse)).toMatchObject([
      { id: "q", error: { code: -32601, data: { issues: [{ keyword: "client-capability" }] } } },
    ]);
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", LEGACY])(
    "is answered in strict if it asks for input that the client has not declared, in %s",
    async (revision) => {
      const h = await started("strict", {}, revision);
      const requestedSchema = { type: "object", properties: { p: { type: "string" } } };
      const params = { message: "m", requestedSchema };
      const asks = { jsonrpc: "2.0", id: "q", method: "elicitation/create", params };
      const { onward, back } = await h.server(asks);
      expect(onward).toBeUndefined();
      expect(back?.map(parse)).toMatchObject([{ id: "q", error: { code: -32601 } }]);
    },
  );

  it("is forwarded if it cancels initialize", async () => {
    const h = new Harness({ settings: all("strict"), whole: true });
    await h.client({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: initializeParams(LEGACY),
    });
    expect(await h.client(notify("notifications/cancelled", { requestId: 0 }))).toEqual({});
    expect(h.pipeline.pending).toBe(1);
    expect(told(h)).toEqual([["protocol", "blocked", "/params/requestId"]]);
  });

  it.each([
    [
      LEGACY,
      '{"task":{"taskId":"1","status":"working","createdAt":"","lastUpdatedAt":"","ttl":null}}',
    ],
    [MODERN, '{"resultType":"task","taskId":"1","status":"working"}'],
    [MODERN, '{"resultType":"zork"}'],
  ])(
    "is blocked in strict as a result of a kind that was not requested: %s, %s",
    async (revision, text) => {
      const h = new Harness({ settings: all("strict"), whole: true, revision });
      await h.list([ADD]);
      const request = call(1, "add", '{"a":1}', "", revision);
      await h.client(request.replace(/\{"extensions":\{"[^"]+":\{\}\}\}/, "{}"));
      expect(parse((await h.server(result(1, text))).onward)).toMatchObject({
        error: { code: -32603 },
      });
      expect(h.records("tool_call")).toMatchObject([{ status: "blocked" }]);
    },
  );

  it("is recorded and forwarded in every mode if the specification only advises against it", async () => {
    const h = new Harness({ settings: all("strict"), whole: true });
    await h.client({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: initializeParams(LEGACY),
    });
    for (const message of [
      { jsonrpc: "2.0", id: "q", method: "x/y" },
      notify("notifications/resources/list_changed"),
    ]) {
      const frame = h.read(message);
      expect(await h.server(frame)).toEqual({ onward: frame.bytes });
    }
    expect(told(h)).toEqual([
      ["protocol", "warning", "/method"],
      ["protocol", "warning", "/method"],
    ]);
    expect(h.records("policy_decision")[0]?.reason).toContain(NOTED_PREFIX);
  });

  it("is not reported if the conversation began before", async () => {
    const h = new Harness({ settings: all("strict"), whole: true });
    for (const message of [
      progress(7, 1),
      { jsonrpc: "2.0", id: "q", method: "roots/list" },
      notify("notifications/message", { level: "info", data: 1 }),
    ]) {
      const frame = h.read(message);
      expect(await h.server(frame)).toEqual({ onward: frame.bytes });
    }
    expect(told(h)).toEqual([]);
  });

  it("is not compared with a message that was itself dropped", async () => {
    const h = await started("strict");
    await h.client(call(1, "add", '{"a":1}', token));
    expect(await h.server(progress("7", 9))).toEqual({});
    const frame = h.read(progress(7, 1));
    expect(await h.server(frame)).toEqual({ onward: frame.bytes });
  });
});
