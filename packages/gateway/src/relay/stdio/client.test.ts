import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import {
  answers,
  call,
  INITIALIZE,
  INITIALIZED,
  MODERN_META,
  request,
} from "../../testing/messages.ts";
import { tempDir, type Wrapped, type WrappedOptions, wrapped } from "../../testing/wrapped.ts";

const LIMITS = { requestBytes: 2_000, upstreamFrameBytes: 2_000, sessions: 1, children: 1 };

/** The scripted server behind a wrap, with what it received. */
function scripted(args: readonly string[], options: WrappedOptions = {}) {
  const file = join(tempDir(), "in");
  const env = { RECORD_IN: file };
  const client = wrapped([SCRIPTED_SERVER, ...args], { ...options, env });
  const atServer = (): { method?: string; id: unknown }[] =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const methods = (): (string | undefined)[] => atServer().map((message) => message.method);
  return { client, atServer, methods };
}

const on = (...scripts: readonly string[]): string[] => scripts.flatMap((each) => ["--on", each]);

async function callRecords(client: Wrapped) {
  const records = await client.records();
  return records.filter((record) => record.type === "tool_call");
}

describe("a call before any list", () => {
  it("makes the gateway fetch the list once for all waiting calls, and keep the response", async () => {
    const { client, methods } = scripted([]);
    client.send(INITIALIZE, INITIALIZED, call(1, "work", { n: 1 }), call(2, "work", { n: "2" }));
    client.send(call(3, "work", { n: 3 }));
    await Promise.all([client.answer(1), client.answer(2), client.answer(3)]);
    expect(await client.close()).toBe(0);
    expect(client.received.lines).toHaveLength(4);
    expect(client.received.text).not.toContain("touchstone-");
    expect(methods()).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/list",
      ...["tools/call", "tools/call", "tools/call"],
    ]);
    const decisions = (await callRecords(client)).map((record) => record.decision);
    expect(decisions).toEqual(["allowed", "warning", "allowed"]);
  });

  it("fetches the list with the gateway's own _meta under 2026-07-28", async () => {
    const { client, atServer } = scripted([], { mode: "strict" });
    client.send(call(1, "work", { n: "x" }, { _meta: { ...MODERN_META, progressToken: 7 } }));
    const { result } = await client.answer(1);
    expect(result).toMatchObject({ resultType: "complete", isError: true });
    const { "io.modelcontextprotocol/clientInfo": _, ...own } = MODERN_META;
    expect(atServer()).toEqual([
      expect.objectContaining({ method: "tools/list", params: { _meta: own } }),
    ]);
  });

  it("lets other messages pass, but holds a cancellation behind its call", async () => {
    const { client, methods } = scripted(on("tools/list=ask:roots/list"));
    const cancel = { requestId: 1, reason: "changed my mind" };
    client.send(INITIALIZE, INITIALIZED, call(1, "work", { n: 1 }));
    client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: cancel });
    client.send(request(2, "ping"));
    await client.answer(2);
    await client.received.find("roots/list");
    expect(methods()).not.toContain("tools/call");
    expect(methods()).not.toContain("notifications/cancelled");
    // The server gives the response to this back as its response to tools/list, which is not a list.
    client.send({ jsonrpc: "2.0", id: "ask-1", result: { roots: [] } });
    await client.close();
    // Its response comes after the cancellation, and is left out.
    expect(client.received.lines.filter((line) => JSON.parse(line).id === 1)).toEqual([]);
    expect(methods().slice(-2)).toEqual(["tools/call", "notifications/cancelled"]);
    expect(await callRecords(client)).toMatchObject([
      { status: "error", reason: "canceled by the client" },
    ]);
  });

  it.each([
    ["an error", "error:-32000", "answered tools/list with error -32000"],
    ["no list", 'raw:{"jsonrpc":"2.0","id":$ID,"result":{}}', "has no list of tools"],
  ])(
    "is blocked in strict, with one log line, if the server answers %s",
    async (_, action, reason) => {
      const { client, methods } = scripted(on(`tools/list=${action}`), { mode: "strict" });
      client.send(
        INITIALIZE,
        INITIALIZED,
        call(1, "work", { n: "x" }),
        call(2, "work", { n: "x" }),
      );
      await Promise.all([client.answer(1), client.answer(2)]);
      client.send(call(3, "work", { n: "x" }));
      expect((await client.answer(3)).result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(reason) }],
      });
      await client.close();
      expect(methods()).not.toContain("tools/call");
      expect(methods().filter((method) => method === "tools/list")).toHaveLength(1);
      const told = client.log.lines.filter((line) => line.includes("could not fetch tools/list"));
      expect(told).toEqual([expect.stringContaining(reason)]);
      const outcomes = (await callRecords(client)).map((record) => record.outcome);
      expect(outcomes).toEqual(["unknown", "unknown", "unknown"]);
    },
  );

  it("fetches the list again after list_changed", async () => {
    const actions = on("tools/call=notify:notifications/tools/list_changed", "tools/call=answer");
    const { client, methods } = scripted(actions);
    for (const id of [1, 2, 3]) {
      client.send(call(id, "work", { n: id }));
      await client.answer(id);
    }
    await client.close();
    const lists = methods().flatMap((method, at) => (method === "tools/list" ? [at] : []));
    expect(lists).toEqual([0, 2]);
    expect(client.received.text).toContain("notifications/tools/list_changed");
  });

  it("fetches no list if nothing is checked", async () => {
    const { client, methods } = scripted([], { mode: "off" });
    client.send(call(1, "work", { n: "x" }));
    await client.answer(1);
    expect(methods()).toEqual(["tools/call"]);
  });
});

describe("a server that fails", () => {
  it("to start is named to its client", async () => {
    const client = wrapped([], { command: "touchstone-no-such-command" });
    client.send(INITIALIZE);
    const { error } = await client.answer("init");
    expect(error?.message).toContain(
      'cannot start "touchstone-no-such-command": command not found',
    );
    expect(await client.ended).toBe(3);
    const told = client.log.lines.filter((line) => line.startsWith("touchstone error"));
    expect(told).toEqual([expect.stringContaining("touchstone-no-such-command")]);
  });

  it("to start has a call recorded like any other", async () => {
    const client = wrapped([], { command: "touchstone-no-such-command" });
    client.send(call(1, "work", {}), call(2, "work", {}));
    expect((await client.answer(2)).error?.message).toContain("touchstone-no-such-command");
    expect(await client.ended).toBe(3);
    const calls = await callRecords(client);
    expect(calls.map(({ tool, status }) => `${tool} ${status}`)).toEqual([
      "work error",
      "work error",
    ]);
  });

  it("at once passes its status to the wrap, and answers the client", async () => {
    const { client } = scripted(["--exit", "9"]);
    client.send(INITIALIZE);
    const { error } = await client.answer("init");
    expect(error).toMatchObject({
      code: -32603,
      message: "touchstone: the server exited with code 9",
    });
    expect(await client.ended).toBe(9);
  });

  it.skipIf(process.platform === "win32").each([
    ["stdout", "1>&-"],
    ["stdin", "0<&-"],
  ])(
    "by closing its %s is ended, and each call is answered and recorded once",
    long,
    async (pipe, close) => {
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        serverInfo: { name: "s", version: "1" },
      };
      const response = JSON.stringify({ jsonrpc: "2.0", id: "init", result });
      const script = `read -r line; echo '${response}'; read -r line; exec ${close}; echo closed >&2; exec sleep 60`;
      const client = wrapped(["-c", script], { command: "sh", mode: "off" });
      client.send(INITIALIZE);
      await client.answer("init");
      client.send(call(1, "work", {}));
      await client.log.find("closed");
      client.send(call(2, "work", {}));
      for (const id of [1, 2]) {
        const { error } = await client.answer(id);
        expect(error?.message).toContain(
          `the server closed its ${pipe}, and was ended by the gateway`,
        );
      }
      expect(await client.ended).not.toBe(0);
      const calls = await callRecords(client);
      expect(calls.map(({ tool, status }) => `${tool} ${status}`)).toEqual([
        "work error",
        "work error",
      ]);
    },
  );

  it.each([
    ["exit:5", 5, "the server exited with code 5"],
    ["half-exit:7", 7, "not a JSON-RPC message"],
  ])("during a call (%s) has the call answered and recorded once", async (action, code, reason) => {
    const { client } = scripted(on(`tools/call=${action}`));
    client.send(INITIALIZE, INITIALIZED, call("c", "work", { n: 1 }));
    expect((await client.answer("c")).error?.message).toContain(reason);
    expect(await client.ended).toBe(code);
    expect(client.received.lines).toHaveLength(2);
    const calls = await callRecords(client);
    expect(calls).toMatchObject([{ tool: "work", reason: expect.stringContaining(reason) }]);
    const change = (await client.records()).find((record) => record.type === "server_change");
    expect(change?.reason).toBe(`server exited with code ${code}`);
  });

  it("to write valid JSON causes an error with the id, and the next call works", async () => {
    const { client } = scripted(on("tools/call=invalid-json", "tools/call=answer"));
    client.send(call(1, "work", { n: 1 }));
    expect((await client.answer(1)).error).toMatchObject({ code: -32603 });
    client.send(call(2, "work", { n: 2 }));
    expect((await client.answer(2)).result?.structuredContent).toEqual({ n: 2 });
    expect(await client.close()).toBe(0);
  });
});

describe("a server's noise", () => {
  it.each([
    "npm warn deprecated",
    "[info] working",
    "{debug}",
    '{"level":30,"msg":"working"}',
    '"x"',
    "7",
  ])("%s on stdout is logged and not forwarded, and calls are answered", async (noise) => {
    const { client } = scripted(["--noise", noise, "--noise-between", noise]);
    client.send(call(1, "work", { n: 1 }));
    expect((await client.answer(1)).result?.structuredContent).toEqual({ n: 1 });
    await client.close();
    expect(client.received.lines).toHaveLength(1);
    expect(client.log.text).toContain("server sent something that is not a JSON-RPC message");
  });

  it("on stderr is forwarded with the server's name", async () => {
    const { client } = scripted(["--stderr", "listening"]);
    expect(await client.log.find("listening")).toBe("[server] listening");
  });
});

describe("a message over the size limit", () => {
  it("from the server causes an error with its id and a record, but not at exactly the limit", async () => {
    const actions = on("tools/call=huge:2000", "tools/call=huge:2001", "tools/call=answer");
    const { client } = scripted(actions, { limits: LIMITS });
    for (const id of [1, 2, 3]) {
      client.send(call(id, "work", { n: id }));
      await client.answer(id);
    }
    expect(await client.line(1)).toHaveLength(2_000);
    const reason = "server message of 2001 bytes is over the limit of 2000 bytes";
    expect((await client.answer(2)).error?.message).toContain(reason);
    expect((await client.answer(3)).result?.structuredContent).toEqual({ n: 3 });
    const calls = await callRecords(client);
    expect(calls.map(({ status }) => status)).toEqual(["success", "blocked", "success"]);
    const decision = (await client.records()).find((record) => record.type === "policy_decision");
    expect(decision).toMatchObject({
      request_id: calls[1]?.request_id,
      guard: { guard: "maxBytes", limit: 2_000, actual: 2_001 },
      reason,
    });
  });

  it("from the server causes an error even if its id comes last", async () => {
    const actions = on("tools/call=silent", "tools/call=huge:300000");
    const { client } = scripted(["--id-last", ...actions], { limits: LIMITS });
    client.send(call(1, "work", { n: 1 }), call(2, "work", { n: 2 }));
    const { error } = await client.answer(2);
    expect(error?.message).toContain("server message of 300000 bytes is over the limit");
    const calls = await callRecords(client);
    expect(calls).toMatchObject([{ status: "blocked", outcome: "guard" }]);
  });

  it("from the client causes an error even if its id comes last", async () => {
    const { client } = scripted([], { limits: LIMITS });
    const filler = "x".repeat(300_000);
    client.send(`{"method":"ping","params":{"x":"${filler}"},"jsonrpc":"2.0","id":"last"}`);
    expect((await client.answer("last")).error?.message).toMatch(/client message of \d+ bytes/);
  });

  it("from the client causes an error even if its id is between two long members", async () => {
    const { client } = scripted([], { limits: LIMITS });
    const filler = "x".repeat(200_000);
    client.send(`{"method":"ping","params":{"x":"${filler}"},"id":"between","x":"${filler}"}`);
    expect((await client.answer("between")).error?.message).toMatch(/client message of \d+ bytes/);
  });

  it("from the client causes an error for each id of a batch of any length", async () => {
    const { client, atServer } = scripted([], { limits: LIMITS });
    const ids = Array.from({ length: 50 }, (_, i) => i + 1);
    const items = ids.map((id) => call(id, "work", { n: id, filler: "x".repeat(5_000) }));
    client.send(`[${items.map((item) => JSON.stringify(item)).join()}]`, request(99, "ping"));
    await client.answer(99);
    const answers = client.received.lines.map((line) => JSON.parse(line) as { id: unknown });
    expect(answers.map(({ id }) => id)).toEqual([...ids, 99]);
    expect(atServer()).toMatchObject([{ id: 99 }]);
    const calls = await callRecords(client);
    expect(calls).toHaveLength(50);
    for (const record of calls) {
      expect(record).toMatchObject({ tool: "work", status: "rejected", bytes_in: null });
    }
  });

  it("from the client causes an error and a record, and does not reach the server", async () => {
    const { client, atServer } = scripted([], { limits: LIMITS });
    client.send(call(1, "work", { n: 1, filler: "x".repeat(2_000) }));
    expect((await client.answer(1)).error?.message).toContain("is over the limit of 2000 bytes");
    client.send(request(2, "ping"));
    await client.answer(2);
    expect(atServer()).toMatchObject([{ id: 2 }]);
    const decision = (await client.records()).find((record) => record.type === "policy_decision");
    expect(decision).toMatchObject({
      decision: "blocked",
      outcome: "guard",
      direction: "protocol",
    });
  });
});

describe("a client that disconnects", () => {
  it("at once ends the server and the wrap", async () => {
    const { client } = scripted([]);
    expect(await client.close()).toBe(0);
    expect((await client.records()).map(({ type }) => type)).toEqual([
      "system_start",
      "system_stop",
    ]);
  });

  it("without a final line feed still gets the response to its last request", async () => {
    const { client } = scripted([]);
    client.input.write(JSON.stringify(request(1, "ping")));
    expect(await client.close()).toBe(0);
    expect(await client.line(1)).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
  });

  it("with an abandoned call has it recorded, and gets nothing more", async () => {
    const { client } = scripted(on("tools/call=silent"));
    client.send(INITIALIZE, call(1, "work", { n: 1 }), request(2, "ping"));
    await client.answer(2);
    expect(await client.close()).toBe(0);
    expect(client.received.lines.filter(answers(1))).toEqual([]);
    expect(await callRecords(client)).toMatchObject([
      { tool: "work", status: "error", reason: "the server exited with code 0" },
    ]);
  });

  it("before the server fails gets the reason for its call", async () => {
    const { client } = scripted(on("tools/call=exit:5"));
    client.send(call(1, "work", { n: 1 }));
    expect(await client.close()).toBe(5);
    expect((await client.answer(1)).error?.message).toContain("the server exited with code 5");
  });

  it("during a call has the call recorded", async () => {
    const { client } = scripted(on("tools/call=ask:roots/list"));
    client.send(call(1, "work", { n: 1 }));
    await client.received.find("ask-1");
    client.output.destroy(new Error("EPIPE"));
    client.input.destroy();
    expect(await client.ended).toBe(0);
    expect(await callRecords(client)).toMatchObject([{ tool: "work", status: "error" }]);
  });
});

describe("a wrap that is told to stop", () => {
  it("kills a server that lingers, and records the pending call", long, async () => {
    const { client } = scripted(["--linger", ...on("tools/call=silent")]);
    client.send(INITIALIZE, INITIALIZED, request(1, "tools/list"), call(2, "work", { n: 1 }));
    await client.answer(1);
    client.input.end();
    await client.log.find("lingering after end of stdin");
    client.abort();
    await client.log.find("lingering after SIGTERM");
    expect(await client.ended).toBe(0);
    expect(await callRecords(client)).toMatchObject([
      { tool: "work", status: "error", reason: "the server was ended by SIGKILL" },
    ]);
    expect(client.received.lines.filter(answers(2))).toEqual([]);
  });

  it("does not wait for an outstanding tool list", async () => {
    const { client, methods } = scripted(on("tools/list=silent"));
    client.send(call(1, "work", { n: 1 }), request(2, "ping"));
    await client.answer(2);
    client.abort();
    expect(await client.ended).toBe(0);
    // The list is asked for behind what the client has sent by then.
    expect(methods().sort()).toEqual(["ping", "tools/list"]);
    expect((await client.answer(1)).error).toMatchObject({ code: -32603 });
    expect(await callRecords(client)).toMatchObject([{ tool: "work", status: "error" }]);
  });
});
