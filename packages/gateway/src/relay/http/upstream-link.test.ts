import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import {
  AGREED,
  type Answer,
  events,
  INITIALIZE,
  json,
  linked,
  result,
} from "../testing/linked.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Begins a stream for a request and never answers. */
function unanswered() {
  let came: (response: ServerResponse) => void = () => {};
  const opened = new Promise<ServerResponse>((resolve) => {
    came = resolve;
  });
  const answer: Answer = (_seen, response) => came(events(response, ": begun\n\n"));
  return { opened, answer };
}

describe("a session up to 2025-11-25", () => {
  it("keeps its id and revision, opens a stream, and ends by DELETE", async () => {
    const own = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
    const { upstream, received, send, answered, close } = await linked((seen, response) => {
      if (seen.method === "GET") {
        events(response, `data: ${own}\n\n`);
        return;
      }
      const { id, method } = seen.method === "POST" ? JSON.parse(seen.body) : {};
      if (method === "initialize") {
        json(response, result(id, AGREED), 200, { "mcp-session-id": "s1" });
      } else if (id === undefined) response.writeHead(202).end();
      else json(response, result(id));
    });
    await send({ id: 0, method: "initialize", params: INITIALIZE });
    await send({ method: "notifications/initialized" });
    await send({ id: "a", method: "tools/list" });
    expect(await answered("a")).toEqual({ jsonrpc: "2.0", id: "a", result: {} });
    expect(await received.find("list_changed")).toBe(own);
    await close();
    const [first, ...later] = upstream.seen;
    expect(first?.headers).not.toHaveProperty("mcp-session-id");
    expect(new Set(later.map(({ method }) => method))).toEqual(new Set(["POST", "GET", "DELETE"]));
    for (const { headers } of later) {
      expect(headers).toMatchObject({
        "mcp-session-id": "s1",
        "mcp-protocol-version": "2025-11-25",
        "x-tenant": "t",
      });
      expect(headers).not.toHaveProperty("mcp-method");
    }
  });

  it.each([
    ["1", "1"],
    ["é€", "Ã©â\u0082¬"],
  ])("resumes a stream that ended before its response, from the event id %s", async (id, sent) => {
    const { upstream, send, answered } = await linked((seen, response) => {
      if (seen.method === "GET") events(response, `id: 2\ndata: ${result(5)}\n\n`).end();
      else if (seen.method === "DELETE") response.writeHead(200).end();
      else if (seen.body.includes("initialize")) {
        json(response, result(0, AGREED), 200, { "mcp-session-id": "s1" });
      } else events(response, `id: ${id}\nretry: 20\ndata:\n\n`).end();
    });
    await send({ id: 0, method: "initialize", params: INITIALIZE });
    await send({ id: 5, method: "tools/call", params: { name: "x" } });
    expect(await answered(5)).toMatchObject({ result: {} });
    expect(upstream.seen.at(-1)).toMatchObject({
      method: "GET",
      headers: { "last-event-id": sent },
    });
  });
});

it("does not wait for a batch's responses, because the server may send requests meanwhile", async () => {
  let finish: (() => void) | undefined;
  const { link, send, answered, received } = await linked((seen, response) => {
    if (seen.method === "DELETE") response.writeHead(200).end();
    else if (seen.body.includes("initialize")) json(response, result(0, AGREED));
    else if (seen.body.startsWith("[")) {
      events(response, 'data: {"jsonrpc":"2.0","id":"ask","method":"roots/list"}\n\n');
      finish = () => response.end(`data: ${result(5)}\n\n`);
    } else {
      response.writeHead(202).end();
      finish?.();
    }
  });
  await send({ id: 0, method: "initialize", params: INITIALIZE });
  const call = { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "x" } };
  const batch = link.send(Buffer.from(JSON.stringify([call])));
  await received.find("roots/list");
  await batch;
  await send({ id: "ask", result: { roots: [] } });
  expect(await answered(5)).toMatchObject({ result: {} });
});

it("accepts a response with a look-alike string id", async () => {
  const { received, send, close } = await linked((seen, response) => {
    if (seen.method === "DELETE") response.writeHead(200).end();
    else if (seen.body.includes("initialize")) json(response, result(0, AGREED));
    else events(response, `data: ${result("5")}\n\n`).end();
  });
  await send({ id: 0, method: "initialize", params: INITIALIZE });
  await send({ id: 5, method: "tools/call", params: { name: "x" } });
  expect(await received.find('"id":"5"')).toBe(result("5"));
  await close();
  expect(received.lines.filter((line) => line.includes('"error"'))).toEqual([]);
});

describe("2026-07-28", () => {
  const region = { type: "string", "x-mcp-header": "Region" };
  const tools = [
    { type: "object", properties: { region } },
    { type: "object", "x-mcp-header": "Root" },
  ];
  const call = (id: number, name: string, args: object) => ({
    id,
    method: "tools/call",
    params: { name, arguments: args, _meta: META },
  });

  it("mirrors a message in headers", async () => {
    const { upstream, send, answered } = await linked((seen, response) => {
      json(response, result(JSON.parse(seen.body).id));
    }, tools);
    await send(call(1, "tool0", { region: "Zürich" }));
    await answered(1);
    expect(upstream.seen[0]?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "tool0",
      "mcp-param-region": `=?base64?${Buffer.from("Zürich").toString("base64")}?=`,
    });
  });

  it("is not assumed for the handshake of a client that falls back", async () => {
    const { upstream, send, answered } = await linked((seen, response) => {
      const { id, method } = seen.method === "POST" ? JSON.parse(seen.body) : {};
      json(response, result(id, method === "initialize" ? AGREED : '{"supportedVersions":[]}'));
    });
    await send({ id: 0, method: "server/discover", params: { _meta: META } });
    await answered(0);
    await send({ id: 1, method: "initialize", params: INITIALIZE });
    await send({ id: 2, method: "tools/list" });
    await answered(2);
    const [discover, initialize, list] = upstream.seen.map(({ headers }) => headers);
    expect(discover).toMatchObject({ "mcp-protocol-version": "2026-07-28" });
    expect(initialize).not.toHaveProperty("mcp-protocol-version");
    expect(initialize).not.toHaveProperty("mcp-method");
    expect(list).toMatchObject({ "mcp-protocol-version": "2025-11-25" });
  });

  it("does not call a tool whose headers violate the rules", async () => {
    const { upstream, send, answered } = await linked(() => {}, tools);
    await send(call(1, "tool1", {}));
    expect(await answered(1)).toMatchObject({
      error: { code: -32602, message: expect.stringMatching(/cannot be called over HTTP: .*root/) },
    });
    expect(upstream.seen).toEqual([]);
  });

  it("cancels a request by closing its stream", async () => {
    const { opened, answer } = unanswered();
    const { upstream, send, received } = await linked(answer);
    await send(call(1, "tool0", {}));
    const response = await opened;
    const params = { requestId: 1, _meta: META };
    await send({ method: "notifications/cancelled", params });
    if (!response.destroyed) await once(response, "close");
    expect(upstream.seen).toHaveLength(1);
    expect(received.lines).toEqual([]);
  });
});

it("reports no pending requests when it is closed, because its owner does", async () => {
  const { opened, answer } = unanswered();
  const { link, upstream, send, received } = await linked(answer);
  await send({ id: 1, method: "tools/list", params: { _meta: META } });
  await opened;
  await link.close(0);
  expect(upstream.seen).toHaveLength(1);
  expect(await link.ended).toMatchObject({ exitCode: 0 });
  expect(received.lines).toEqual([]);
});

it("answers each request of a batch with duplicate ids if the server does not", async () => {
  const { link, received } = await linked((_, response) => void response.writeHead(500).end());
  const ids = ["1", "1.0", "1e0"];
  const batch = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
  await link.send(Buffer.from(`[${batch.join()}]`));
  for (const id of ids) await received.find(`"id":${id},"error"`);
});

describe("a server that fails", () => {
  const refused = '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":null}';
  it.each<[string, Answer, object]>([
    ["wants credentials", (_, r) => void r.writeHead(401).end(), { message: /401.*--header Auth/ }],
    [
      "says so in OAuth's words",
      (_, r) => json(r, '{"error":"invalid_token","error_description":"It expired"}', 401),
      { code: -32603, message: /HTTP status 401 \(It expired\): .*--header Auth/ },
    ],
    [
      "says so in a text",
      (_, r) => void r.writeHead(400, { "content-type": "text/plain" }).end("No session\n"),
      { message: /HTTP status 400 \(No session\)$/ },
    ],
    [
      "asks for a pause in seconds",
      (_, r) => void r.writeHead(429, { "retry-after": "7" }).end(),
      { message: /HTTP status 429: try again in 7 s$/ },
    ],
    [
      "asks for a pause until a time",
      (_, r) => void r.writeHead(503, { "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT" }).end(),
      { message: /HTTP status 503: try again after 1999-12-31T23:59:59\.000Z$/ },
    ],
    ...["Invalid Date", "7; 8", "2026-01-01"].map((pause): [string, Answer, object] => [
      `says of a pause what is not a time: ${pause}`,
      (_, r) => void r.writeHead(429, { "retry-after": pause }).end(),
      { message: /HTTP status 429$/ },
    ]),
    ["refuses without an id", (_, r) => json(r, refused, 400), { code: -32000, message: /^no$/ }],
    [
      "sends a response with another id",
      (_, r) => json(r, result(99)),
      { message: /the server sent a response with the id 99, which is the id of no request/ },
    ],
    [
      "sends responses with other ids on a stream",
      (_, r) => void events(r, `data: ${result(98)}\n\ndata: ${result("9")}\n\n`).end(),
      { message: /a response with the id 98, "9", which/ },
    ],
    [
      "sends no blank line after its response",
      (_, r) => void events(r, `data: ${result("q")}\n`).end(),
      { message: /ended without a response/ },
    ],
    [
      "gives a page",
      (_, r) => void r.writeHead(200, { "content-type": "text/html" }).end("hello"),
      { message: /HTTP status 200 and text\/html instead of a JSON-RPC message/ },
    ],
    [
      "gives nothing",
      (_, r) => void r.writeHead(202).end(),
      { message: /HTTP status 202 and an empty body/ },
    ],
    [
      "breaks off",
      (_, r) => void events(r, ": \n\n").end(),
      { message: /ended without a response/ },
    ],
    [
      "breaks off in its body",
      (_, r) => {
        r.writeHead(200, { "content-type": "application/json", "content-length": "99" });
        r.write('{"jsonrpc"', () => r.destroy());
      },
      { message: /the server's response broke off: / },
    ],
    ["hangs up", (_, r) => void r.destroy(), { message: /cannot reach the server/ }],
  ])("is reported on the request's id: it %s", async (_name, answer, expected) => {
    const { send, answered } = await linked(answer);
    await send({ id: "q", method: "tools/list", params: { _meta: META } });
    const { error } = await answered("q");
    for (const [key, value] of Object.entries(expected)) {
      if (value instanceof RegExp) expect(error[key]).toMatch(value);
      else expect(error[key]).toBe(value);
    }
  });

  it.each<[string, Answer]>([
    ["a body", (_, r) => json(r, `"${"x".repeat(5_000)}"`)],
    ["an event", (_, r) => void events(r, `data: ${"x".repeat(5_000)}`)],
  ])("is reported as too large, with the requests that this ends: %s", async (_name, answer) => {
    const { send, received, tooLarge } = await linked(answer);
    await send({ id: "q", method: "tools/list", params: { _meta: META } });
    const { size, answers } = JSON.parse(await tooLarge.find("size"));
    expect(size).toBeGreaterThan(4_096);
    expect(answers).toEqual(["sq"]);
    expect(received.lines).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    [
      "of another type",
      `event: pro\u0007gress\ndata: ${result("q")}\n\n`,
      /warn: an event of the type "pro\S+gress" with 38 bytes of data is dropped/,
    ],
    [
      "of another type, and is none",
      "event: ping\ndata: 1\n\n",
      /debug: an event of the type "ping" with 1 bytes of data is dropped/,
    ],
    [
      "without its end",
      `data: ${result("q")}\n`,
      /warn: the last 45 bytes of a stream are dropped/,
    ],
  ])("has ignored events logged: %s", async (_name, stream, line) => {
    const { send, log } = await linked((_, r) => void events(r, stream).end());
    await send({ id: "q", method: "tools/list", params: { _meta: META } });
    expect(await log.find("dropped")).toMatch(line);
  });

  it.each([
    ["text/plain", 400],
    ["text/html", 500],
    ["application/problem+json", 300],
  ])(
    "has a response checked that comes with an HTTP error status: %s, %i",
    async (type, status) => {
      for (const text of [result("q", '{"a":1}'), `[${result("q", '{"a":1}')}]`]) {
        const { send, received } = await linked((_, r) => {
          r.writeHead(status, { "content-type": type }).end(text);
        });
        await send({ id: "q", method: "tools/call", params: { name: "x", _meta: META } });
        expect(await received.find("q")).toBe(text);
      }
    },
  );

  it("is logged if no request is waiting", async () => {
    const { send, log, received } = await linked((_, response) => {
      response.writeHead(500).end();
    });
    await send({ method: "notifications/initialized" });
    await log.find("HTTP status 500");
    expect(received.lines).toEqual([]);
  });
});

it("reads nothing while paused", async () => {
  let stream: ServerResponse | undefined;
  const { link, send, received } = await linked((_, response) => {
    stream = events(response, `data: ${result("first")}\n\n`);
  });
  await send({ id: 1, method: "subscriptions/listen", params: { _meta: META } });
  await received.find("first");
  link.pause();
  stream?.write(`data: ${result("second")}\n\ndata: ${result("third")}\n\n`);
  stream?.end(`data: ${result(1)}\n\n`);
  if (stream && !stream.writableFinished) await once(stream, "finish");
  expect(received.lines.filter((line) => line.includes("third"))).toEqual([]);
  link.resume();
  await received.find("third");
  expect(received.lines).toHaveLength(4);
});
