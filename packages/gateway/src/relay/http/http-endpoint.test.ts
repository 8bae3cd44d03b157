import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import {
  type HttpUpstreamServer,
  initialize,
  modern,
  post,
  request,
  type SeenRequest,
  startHttpUpstream,
} from "../../testing/http.ts";

const INTEGER = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const TOOLS = [{ name: "work", inputSchema: INTEGER, outputSchema: INTEGER }];
/** Written so that reading and writing it again would change it. */
const EXACT = '{ "structuredContent":{"n":1.0,"n":7256535639334584321},\r\n "content":[ ] }';
const RIGHT = '{"content":[],"structuredContent":{"n":1}}';

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;

type Body = { id?: number; method?: string; params?: { arguments?: { how?: string } } };
const json = (response: ServerResponse, body: string, status = 200, headers = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
};
const result = (id: unknown, text: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
const stream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { "content-type": "text/event-stream" });

/** Ends the stream that the call `waits` has opened. */
let goOn = (): void => {};

/** What the upstream does with a call, by its argument `how`. */
const HOW: Record<string, (id: unknown, response: ServerResponse) => void> = {
  exact: (id, response) => json(response, `\n${result(id, EXACT)} `),
  events: (id, response) => {
    const data = result(id, EXACT).replace("\r\n", "\r\ndata: ");
    stream(response).end(`: hi\n\nevent: ping\ndata: x\n\nid: 7\r\ndata: ${data}\r\n\r\n`);
  },
  bad: (id, response) => json(response, result(id, '{"content":[],"structuredContent":{"n":"x"}}')),
  "bad-events": (id, response) => {
    stream(response).end(
      `id: 9\ndata: ${result(id, '{"content":[],"structuredContent":{"n":"x"}}')}\n\n`,
    );
  },
  "no-json": (_, response) => json(response, '{"jsonrpc":"2.0",'),
  text: (id, response) => json(response, result(id, RIGHT), 200, { "content-type": "text/plain" }),
  "wrong-id": (_, response) => json(response, result("other", RIGHT)),
  encoded: (id, response) =>
    json(response, result(id, RIGHT), 200, { "content-encoding": "compress" }),
  charset: (id, response) =>
    json(response, result(id, RIGHT), 200, { "content-type": "application/json;charset=latin1" }),
  huge: (id, response) => json(response, result(id, `{"x":"${"x".repeat(5000)}"}`)),
  "huge-event": (_, response) => stream(response).write(`data: ${"x".repeat(5000)}`),
  waits: (id, response) => {
    stream(response).flushHeaders();
    goOn = () => void response.end(`data: ${result(id, RIGHT)}\n\n`);
  },
  "no-answer": (_, response) => stream(response).end(": nothing\n\n"),
  "breaks-off": (_, response) => {
    stream(response).write(": begun\n\n", () => response.destroy());
  },
  "to-be-resumed": (_, response) => stream(response).end("id: 4\ndata:\n\n"),
  forbidden: (_, response) => {
    response.writeHead(403, { "content-type": "text/plain" });
    response.end("who are you?");
  },
  missing: (_, response) => json(response, '{"error": "nothing  here"}', 404),
  refused: (_, response) =>
    json(response, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":null}', 400),
  asks: (id, response) => {
    const ask = '{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":1}';
    stream(response).end(`data: ${ask}\n\ndata: ${result(id, RIGHT)}\n\n`);
  },
};

function answer({ method, body, headers }: SeenRequest, response: ServerResponse): void {
  if (method === "GET" && headers["last-event-id"] === "4") {
    stream(response).end(`data: ${result(5, '{"content":[],"structuredContent":{"n":"x"}}')}\n\n`);
    return;
  }
  if (method !== "POST") {
    response.writeHead(405, { allow: "POST", "content-type": "text/plain" }).end("only POST");
    return;
  }
  const message = JSON.parse(body) as Body | Body[];
  if (Array.isArray(message)) {
    const answers = message.map(({ id }) => result(id, RIGHT));
    json(response, `[${answers.join(", ")}]`);
    return;
  }
  const { id, params } = message;
  if (id === undefined || message.method === undefined) {
    response.writeHead(202).end();
  } else if (message.method === "initialize") {
    const agreed =
      '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"u","version":"1"}}';
    json(response, result(id, agreed), 200, { "mcp-session-id": "s-1" });
  } else if (message.method === "tools/list") {
    // Asked without what clients have to send, the server has no list.
    const ok = headers["mcp-session-id"] === "s-1" || headers["mcp-method"] === "tools/list";
    json(response, result(id, JSON.stringify({ tools: ok ? TOOLS : [] })));
  } else {
    HOW[params?.arguments?.how ?? "exact"]?.(id, response);
  }
}

beforeAll(async () => {
  upstream = await startHttpUpstream(answer);
  const entry = (mode: string, url = upstream.url) => ({
    url,
    headers: { Authorization: "Bearer upstream", "X-Tenant": "t" },
    touchstone: {
      input_validation: { mode },
      output_validation: { mode },
      protocol_validation: { mode },
    },
  });
  touchstone = await startTestGateway({
    limits: { upstream_frame_bytes: 4096 },
    mcpServers: {
      warn: entry("warn"),
      strict: entry("strict"),
      down: entry("warn", "http://127.0.0.1:9/mcp?key=s3cret"),
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

const call = (how: string, args: object = { n: 1 }) =>
  request(5, "tools/call", { name: "work", arguments: { ...args, how } });
const session: Record<string, string> = {
  "mcp-session-id": "s-1",
  "mcp-protocol-version": "2025-11-25",
};
const send = (server: string, how: string) => post(touchstone.url(server), call(how), session);

describe("bytes", () => {
  it("passes a JSON response on unchanged", async () => {
    expect((await send("warn", "exact")).text).toBe(`\n${result(5, EXACT)} `);
  });

  it("passes a stream on unchanged, with comments and other events", async () => {
    const data = result(5, EXACT).replace("\r\n", "\r\ndata: ");
    const { text } = await send("warn", "events");
    expect(text).toBe(`: hi\n\nevent: ping\ndata: x\n\nid: 7\r\ndata: ${data}\r\n\r\n`);
  });

  it("starts a stream before the server writes to it", async () => {
    const response = await fetch(touchstone.url("warn"), {
      method: "POST",
      headers: { "content-type": "application/json", ...session },
      body: JSON.stringify(call("waits")),
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    goOn();
    expect(await response.text()).toBe(`data: ${result(5, RIGHT)}\n\n`);
  });

  it("passes a request on unchanged", async () => {
    const body = `\r\n${JSON.stringify(call("exact", { n: 0 })).replace('"n":0', '"n" : 1e0')}\n`;
    await post(touchstone.url("warn"), body, session);
    expect(upstream.seen.at(-1)?.body).toBe(body);
  });

  it.each([
    ["forbidden", 403, "who are you?"],
    ["missing", 404, '{"error": "nothing  here"}'],
    ["refused", 400, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":null}'],
  ])("passes an HTTP error on unchanged: %s", async (how, status, text) => {
    const answered = await send("warn", how);
    expect([answered.status, answered.text]).toEqual([status, text]);
  });

  it.each(["GET", "DELETE"])("passes the response to %s on", async (method) => {
    const response = await fetch(touchstone.url("warn"), { method, headers: session });
    expect([response.status, response.headers.get("allow"), await response.text()]).toEqual([
      405,
      "POST",
      "only POST",
    ]);
  });
});

describe("headers", () => {
  it("keeps a client's credentials from the server, and sends the configured ones", async () => {
    const secret = { authorization: "Bearer client", cookie: "a=b", "x-api-key": "k" };
    const other = { "x-trace": "7", connection: "x-hop", "x-hop": "1", "proxy-authorization": "p" };
    // fetch refuses to send a Connection header; this is what node:http is for.
    const { request: httpRequest } = await import("node:http");
    await new Promise<void>((resolve, reject) => {
      const headers = { "content-type": "application/json", ...session, ...secret, ...other };
      const sent = httpRequest(touchstone.url("warn"), { method: "POST", headers }, (response) => {
        response.resume().on("end", resolve);
      });
      sent.on("error", reject).end(JSON.stringify(call("exact")));
    });
    const { headers = {} } = upstream.seen.at(-1) ?? {};
    expect(headers).toMatchObject({
      authorization: "Bearer upstream",
      "x-tenant": "t",
      "x-trace": "7",
      "accept-encoding": "identity",
    });
    for (const name of ["cookie", "x-api-key", "x-hop", "proxy-authorization"]) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  it("fetches the tool list for an early call, in the call's session", async () => {
    const before = upstream.seen.length;
    const { text } = await post(touchstone.url("strict"), call("exact", { n: "x" }), session);
    const asked = upstream.seen.slice(before);
    expect(asked.map(({ body }) => JSON.parse(body).method)).toEqual(["tools/list"]);
    expect(asked[0]?.headers).toMatchObject(session);
    expect(JSON.parse(asked[0]?.body ?? "").id).toMatch(/^touchstone-[0-9a-f]{24}-1$/);
    expect(JSON.parse(text)).toMatchObject({ id: 5, result: { isError: true } });
  });

  it("fetches the tool list in the client's name under 2026-07-28", async () => {
    const { body, headers } = modern("tools/call", { name: "work", arguments: { n: "x" } });
    const before = upstream.seen.length;
    const { text } = await post(touchstone.url("strict"), body, headers);
    expect(JSON.parse(text).result).toMatchObject({ resultType: "complete", isError: true });
    const asked = upstream.seen.slice(before);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers).toMatchObject({
      "mcp-method": "tools/list",
      "mcp-protocol-version": "2026-07-28",
    });
  });
});

describe("strict", () => {
  it.each(["bad", "bad-events"])("blocks an invalid result: %s", async (how) => {
    const { messages, text } = await send("strict", how);
    expect(messages).toHaveLength(1);
    expect(JSON.parse(messages[0] ?? "")).toMatchObject({ id: 5, result: { isError: true } });
    expect(text).toContain("output schema validation failed: /n must be an integer");
    if (how === "bad-events") expect(text).toMatch(/^id: 9\n/);
  });

  it("answers a request that violates 2026-07-28 with status 400", async () => {
    const before = upstream.seen.length;
    const { body, headers } = modern("tools/call", { name: "work", arguments: { n: 1 } });
    const key = "io.modelcontextprotocol/clientCapabilities";
    const message = JSON.parse(body) as { params: { _meta: Record<string, unknown> } };
    delete message.params._meta[key];
    const answer = await post(touchstone.url("strict"), JSON.stringify(message), headers);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(answer.text).toContain(key.replace("/", "~1"));
    expect(upstream.seen.slice(before).map(({ headers }) => headers["mcp-method"])).not.toContain(
      "tools/call",
    );
  });

  it("answers a server's invalid request itself", async () => {
    const { messages } = await send("strict", "asks");
    expect(messages).toEqual([result(5, RIGHT)]);
    await expect
      .poll(() => upstream.seen.at(-1)?.body, { interval: 5 })
      .toMatch(/^\{"jsonrpc":"2.0","id":"q","error":\{"code":-32602/);
    expect(upstream.seen.at(-1)?.headers).toMatchObject(session);
  });

  it("answers the invalid items of a batch and forwards the rest", async () => {
    const good = { ...call("exact"), id: 1 };
    const bad = { ...call("exact", { n: "x" }), id: 2 };
    const also = { ...call("exact"), id: 3 };
    // The one revision that has batches.
    const own = { "mcp-session-id": "batches", "mcp-protocol-version": "2025-03-26" };
    const { text } = await post(touchstone.url("strict"), [good, bad, also], own);
    const answers = JSON.parse(text) as { id: number; result: { isError?: boolean } }[];
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
    expect(answers.find(({ id }) => id === 2)?.result.isError).toBe(true);
    expect(JSON.parse(upstream.seen.at(-1)?.body ?? "")).toEqual([good, also]);
  });
});

describe("an upstream that fails", () => {
  it.each([
    ["no-json", 200, /not a JSON-RPC message/],
    ["text", 502, /HTTP status 200 and text\/plain instead of a JSON-RPC message/],
    ["wrong-id", 200, /a response with the id \S+, which is the id of no request/],
    ["encoded", 502, /the content encoding \\"compress\\", which cannot be decoded/],
    ["charset", 502, /in the charset \\"latin1\\"; JSON is UTF-8/],
    ["huge", 502, /at least \d+ bytes is over the limit of 4096 bytes/],
    ["huge-event", 200, /at least \d+ bytes is over the limit of 4096 bytes/],
    ["no-answer", 200, /the server's stream ended without a response/],
    ["breaks-off", 200, /touchstone: /],
  ])("is reported on the request's id: %s", async (how, status, reason) => {
    const { status: got, messages } = await send("warn", how);
    expect(got).toBe(status);
    expect(messages).toHaveLength(1);
    expect(JSON.parse(messages[0] ?? "")).toMatchObject({ id: 5, error: { code: -32603 } });
    expect(messages[0]).toMatch(reason);
  });

  it("has an oversize response recorded as a decision about its call", async () => {
    const decisions = await touchstone.records({ server: "warn", type: "policy_decision" });
    const guards = decisions.filter(({ outcome }) => outcome === "guard");
    expect(guards).toHaveLength(2);
    for (const { decision, guard, tool } of guards) {
      expect([decision, guard?.guard, guard?.limit]).toEqual(["blocked", "maxBytes", 4_096]);
      expect(tool).toBeDefined();
    }
  });

  it("is named by its address, without secrets", async () => {
    const { status, text } = await send("down", "exact");
    expect([status, JSON.parse(text).id]).toEqual([502, 5]);
    expect(text).toMatch(/cannot reach the server at http:\/\/127.0.0.1:9\/mcp: /);
    expect(text + touchstone.lines.join()).not.toContain("s3cret");
  });

  it("has each of its calls recorded as failed", async () => {
    const calls = await touchstone.records({ server: "down", type: "tool_call" });
    expect(calls.map(({ status }) => status)).toEqual(["error"]);
  });
});

describe("sessions", () => {
  it("check a response on a resumed stream by its call", async () => {
    const { text } = await send("strict", "to-be-resumed");
    expect(text).toBe("id: 4\ndata:\n\n");
    const headers = { ...session, accept: "text/event-stream", "last-event-id": "4" };
    const resumed = await (await fetch(touchstone.url("strict"), { headers })).text();
    expect(resumed).toContain("output schema validation failed: /n must be an integer");
    expect(resumed).toContain('"id":5');
  });

  it("pass on the session's id, and hash it in records", async () => {
    const headers = await initialize(touchstone.url("warn"));
    expect(headers["mcp-session-id"]).toBe("s-1");
    await post(touchstone.url("warn"), call("exact"), headers);
    const [record] = (await touchstone.records({ server: "warn", type: "tool_call" })).slice(-1);
    expect(record?.session).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(record?.client).toBe("test/1");
  });

  it("refuse invalid JSON before the server sees it", async () => {
    const before = upstream.seen.length;
    const { status, text } = await post(
      touchstone.url("warn"),
      '{"jsonrpc":"2.0","id":1} x',
      session,
    );
    const { code, message } = JSON.parse(text).error;
    expect([status, code]).toEqual([400, -32700]);
    expect(message).toMatch(/^Blocked by touchstone: \D+, at byte 25$/);
    expect(upstream.seen).toHaveLength(before);
    const filter = { server: "warn", type: "policy_decision" };
    const [record] = (await touchstone.records(filter)).slice(-1);
    expect(record).toMatchObject({ direction: "protocol", status: "blocked" });
  });
});
