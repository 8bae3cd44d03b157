import { describe, expect, it } from "vitest";
import { ATTRIBUTES as A, OTHER_LABEL } from "../conventions.ts";
import type { OperationFact, SideOutcome } from "../facts.ts";
import type { ServerAddresses } from "../telemetry.ts";
import { LabelNameLimit, MAX_CALLERS, MAX_LABEL_NAMES } from "./labels.ts";
import { errorType, readOperation } from "./sides.ts";

const PLACE: ServerAddresses = {
  name: "srv",
  client: "pipe",
  upstream: { transport: "tcp", address: "mcp.example", port: 443 },
};
const CALL: OperationFact = {
  server: "srv",
  from: "client",
  method: "tools/call",
  target: "add",
  known: true,
  id: "1",
  revision: "2025-11-25",
  began: 100,
  sent: 101,
  answered: 140,
  ended: 142,
  ending: {},
  answer: {},
};
const read = (more: Partial<OperationFact>) =>
  readOperation({ ...CALL, ...more }, PLACE, new LabelNameLimit());

describe("error.type", () => {
  it.each<[SideOutcome, string | undefined, string | undefined]>([
    [{}, undefined, undefined],
    [{ toolError: true }, "tool_error", "tool_error"],
    // An error that the caller caused is an error of the caller's call, not of the server.
    [{ code: -32700 }, undefined, "-32700"],
    [{ code: -32600 }, undefined, "-32600"],
    [{ code: -32601 }, undefined, "-32601"],
    [{ code: -32602 }, undefined, "-32602"],
    [{ code: -32002 }, undefined, "-32002"],
    [{ code: -32603 }, "-32603", "-32603"],
    [{ code: -32042 }, "-32042", "-32042"],
    [{ code: 4711 }, OTHER_LABEL, OTHER_LABEL],
    [{ failure: "timeout" }, "timeout", "timeout"],
    [{ failure: "cancelled" }, "cancelled", "cancelled"],
  ])("of %j is %s for the server, %s for the client", (ending, server, client) => {
    expect([errorType("server", ending), errorType("client", ending)]).toEqual([server, client]);
  });

  it.each<[Partial<OperationFact>, string | undefined]>([
    ...(["denied", "held", "out_of_bounds", "limited", "rejected", "blocked"] as const).map(
      (status): [Partial<OperationFact>, undefined] => [{ status }, undefined],
    ),
    // The server ran the tool, but its result was over the limit or invalid.
    [{ status: "limited", sent: 101 }, undefined],
    [{ status: "blocked", sent: 101 }, "tool_error"],
    [{ status: "error", sent: 101 }, "tool_error"],
    [{ sent: 101 }, "tool_error"],
  ])("of an error result of a call that ended as %j is %s for the server", (call, error) => {
    expect(errorType("server", { toolError: true }, call)).toBe(error);
    expect(errorType("client", { toolError: true }, call)).toBe("tool_error");
  });
});

describe("the two sides of an operation", () => {
  it("describe a relay: server toward the client, client toward the server", () => {
    const { name, server, client } = read({});
    expect(name).toBe("tools/call add");
    expect(server).toMatchObject({ began: 100, ended: 142 });
    expect(client).toMatchObject({ began: 101, ended: 140 });
    const common = {
      [A.server]: "srv",
      [A.method]: "tools/call",
      [A.toolName]: "add",
      [A.operationName]: "execute_tool",
      [A.protocolVersion]: "2025-11-25",
    };
    expect(server.labels).toEqual({ ...common, [A.transport]: "pipe" });
    expect(client?.labels).toEqual({
      ...common,
      [A.transport]: "tcp",
      [A.protocolName]: "http",
      [A.serverAddress]: "mcp.example",
      [A.serverPort]: 443,
    });
  });

  it("swap when the server sends the request", () => {
    const { name, server, client } = read({ from: "server", method: "roots/list" });
    expect(name).toBe("roots/list");
    expect(server.labels[A.transport]).toBe("tcp");
    expect(client?.labels).toMatchObject({ [A.transport]: "pipe" });
    expect(client?.labels).not.toHaveProperty(A.serverAddress);
  });

  it("are only one if the gateway answers by itself", () => {
    const { sent: _sent, answered: _answered, answer: _answer, ...blocked } = CALL;
    const operation = readOperation(
      { ...blocked, ending: { toolError: true }, status: "denied" },
      PLACE,
      new LabelNameLimit(),
    );
    expect(operation.client).toBeUndefined();
    expect(operation.server.error).toBeUndefined();
    expect(operation.server.labels).toMatchObject({ [A.status]: "denied" });
  });

  it("differ if the gateway blocks a valid response", () => {
    const { server, client } = read({ ending: { toolError: true }, status: "blocked" });
    expect([server.error, client?.error]).toEqual(["tool_error", undefined]);
    expect([server.labels[A.status], client?.labels[A.status]]).toEqual(["blocked", undefined]);
  });

  it.each<[Partial<OperationFact>, string]>([
    [{ method: "prompts/get", target: "greet" }, "prompts/get greet"],
    [{ method: "prompts/get", target: "greet", known: false }, "prompts/get"],
    [{ method: "x/y\u001b[2J" }, OTHER_LABEL],
    [{ target: "made-up", known: false }, "tools/call"],
    [{ method: "resources/read", uri: "file:///secret" }, "resources/read"],
  ])("of %j have the name %j", (more, name) => {
    expect(read(more).name).toBe(name);
  });
});

describe("label values", () => {
  it("are kept apart up to a limit, per server and kind", () => {
    const names = new LabelNameLimit();
    const seen = new Set<string>();
    for (let i = 0; i < 10_000; i += 1) seen.add(names.label("srv", "tool", `tool-${i}`, true));
    expect(seen.size).toBe(MAX_LABEL_NAMES + 1);
    expect(names.label("srv", "tool", "tool-0", false)).toBe("tool-0");
    expect(names.label("srv", "tool", "tool-9999", true)).toBe(OTHER_LABEL);
    expect(names.label("srv", "prompt", "tool-9999", true)).toBe("tool-9999");
    expect(names.label("other", "tool", "tool-9999", true)).toBe("tool-9999");
  });

  it("of callers are kept apart up to a limit, over all servers", () => {
    const names = new LabelNameLimit();
    const labelled = (caller: string, server = "srv") =>
      readOperation({ ...CALL, server, caller }, PLACE, names).server.labels[A.caller];
    for (let at = 0; at < MAX_CALLERS; at += 1) expect(labelled(`c${at}`)).toBe(`c${at}`);
    expect([labelled("c0", "other"), labelled("one more"), labelled("")]).toEqual([
      "c0",
      OTHER_LABEL,
      OTHER_LABEL,
    ]);
    // A name with a line break must not count as the other caller.
    expect(labelled("c1\n")).toBe(OTHER_LABEL);
    expect(read({}).server.labels).not.toHaveProperty(A.caller);
  });

  it("do not use up the limit if a client invented them", () => {
    const names = new LabelNameLimit();
    for (let i = 0; i < 1_000; i += 1) names.label("srv", "tool", `fake-${i}`, false);
    expect(names.label("srv", "tool", "real", true)).toBe("real");
    expect(names.label("srv", "tool", "fake-1", false)).toBe(OTHER_LABEL);
  });

  it("include only listed prompts", () => {
    const names = new LabelNameLimit();
    const get = (target: string) =>
      readOperation({ ...CALL, method: "prompts/get", target, known: false }, PLACE, names).name;
    expect(get("greet")).toBe("prompts/get");
    const good = '{"prompts":[{"name":"greet"},{"name":5},null,{}]}';
    for (const listed of [good, "{", "5", "null", '{"prompts":{"name":"other"}}']) {
      readOperation({ ...CALL, method: "prompts/list", listed }, PLACE, names);
    }
    expect([get("greet"), get("other")]).toEqual(["prompts/get greet", "prompts/get"]);
  });

  it("merge if they are equal once encoded", () => {
    const names = new LabelNameLimit();
    for (const half of ["\ud800", "\ud801", "\udfff"]) {
      expect(names.label("srv", "tool", half, true)).toBe("\ufffd");
    }
    // For Prometheus, an empty label is a missing one.
    expect(names.label("srv", "tool", "", true)).toBe(OTHER_LABEL);
  });
});
