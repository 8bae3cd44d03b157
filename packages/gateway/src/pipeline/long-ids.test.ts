import { describe, expect, it } from "vitest";
import { all, call, Harness, parse } from "./testing/harness.ts";

const LONG = JSON.stringify("\ufdfa".repeat(10_000));
const ADD = { name: "add", inputSchema: { type: "object" } };
const REFUSED = { decision: "blocked", issues: [{ rule: "guard", keyword: "maxBytes" }] };

async function started(mode: "off" | "warn" | "strict"): Promise<Harness> {
  const h = new Harness({ settings: all(mode) });
  await h.list([ADD]);
  return h;
}

describe.each(["off", "warn", "strict"] as const)("in %s", (mode) => {
  it.each([
    ["request", "/id", `{"jsonrpc":"2.0","id":${LONG},"method":"ping"}`, null],
    [
      "call",
      "/id",
      `{"jsonrpc":"2.0","id":${LONG},"method":"tools/call","params":{"name":"add"}}`,
      null,
    ],
    [
      "request for a task",
      "/params/taskId",
      `{"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":${LONG}}}`,
      5,
    ],
    [
      "progress token",
      "/params/_meta/progressToken",
      `{"jsonrpc":"2.0","id":"a","method":"ping","params":{"_meta":{"progressToken":${LONG}}}}`,
      "a",
    ],
    [
      "cancellation",
      "/params/requestId",
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${LONG}}}`,
      null,
    ],
    [
      "progress",
      "/params/progressToken",
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${LONG},"progress":1}}`,
      null,
    ],
  ])("a client's %s with a long id is refused with a record", async (_, path, message, id) => {
    const h = await started(mode);
    const { onward, back } = await h.client(message);
    expect(onward).toBeUndefined();
    const text = "it has 30002 bytes; more than 16384 are not read";
    expect(back?.map(parse)).toMatchObject([
      { id, error: { code: -32600, message: expect.stringContaining(`${path}: ${text}`) } },
    ]);
    expect(h.records("policy_decision")).toMatchObject([
      { ...REFUSED, issues: [{ path, message: text }] },
    ]);
  });

  it("a client's response with a long id goes nowhere, with a record", async () => {
    const h = await started(mode);
    const { onward, back } = await h.client(`{"jsonrpc":"2.0","id":${LONG},"result":{}}`);
    expect([onward, back]).toEqual([undefined, undefined]);
    expect(h.records("policy_decision")).toMatchObject([REFUSED]);
  });

  it("a server's request with a long id is answered with an error, with a record", async () => {
    const h = await started(mode);
    const { onward, back } = await h.server(`{"jsonrpc":"2.0","id":${LONG},"method":"ping"}`);
    expect(onward).toBeUndefined();
    expect(back?.map(parse)).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(h.records("policy_decision")).toMatchObject([REFUSED]);
  });

  it.each([
    ["notifications/cancelled", `{"requestId":${LONG}}`],
    ["notifications/progress", `{"progressToken":${LONG},"progress":1}`],
  ])("a server's %s with a long id goes nowhere, with a record", async (method, params) => {
    const h = await started(mode);
    const message = `{"jsonrpc":"2.0","method":"${method}","params":${params}}`;
    expect(await h.server(message)).toEqual({});
    expect(h.records("policy_decision")).toMatchObject([REFUSED]);
  });

  it.each([
    ["task id", `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":${LONG}}}}`],
    ["own id, if only one request waits", `{"jsonrpc":"2.0","id":${LONG},"result":{"content":[]}}`],
  ])("a call whose response has a long %s gets an error", async (_, response) => {
    const h = await started(mode);
    await h.client(call(1, "add", "{}"));
    const { onward } = await h.server(response);
    expect(parse(onward)).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining("it has 30002 bytes") },
    });
    expect(h.records("policy_decision")).toMatchObject([REFUSED]);
  });
});
