import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../../../util/src/log.ts";
import { SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import {
  type HttpUpstreamServer,
  initialize,
  modern,
  post,
  request,
  startHttpUpstream,
} from "../../testing/http.ts";
import { readRequest } from "./body.ts";
import { UnfinishedBodies } from "./unfinished-bodies.ts";

const LIMIT = 1_000;
const FILLER = "x".repeat(100_000);

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;

beforeAll(async () => {
  upstream = await startHttpUpstream((_seen, response) => void response.writeHead(202).end());
  const asking = [SCRIPTED_SERVER, "--on", "tools/call=ask:roots/list"];
  touchstone = await startTestGateway({
    limits: { request_bytes: LIMIT },
    mcpServers: {
      stdio: { command: process.execPath, args: asking },
      web: { url: upstream.url },
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

const decisions = () => touchstone.records({ type: "policy_decision" });

describe("a request over limits.request_bytes", () => {
  it.each(["stdio", "web"])("gets an error with its id, and a record: %s", async (server) => {
    const large = request(7, "ping", { FILLER });
    const before = (await decisions()).length;
    const { status, text } = await post(touchstone.url(server), large);
    const size = JSON.stringify(large).length;
    expect([status, JSON.parse(text)]).toMatchObject([413, { id: 7, error: { code: -32600 } }]);
    expect(text).toContain(`${size} bytes is over the limit of ${LIMIT} bytes`);
    expect((await decisions()).slice(before)).toMatchObject([
      {
        server,
        direction: "protocol",
        decision: "blocked",
        outcome: "guard",
        guard: { guard: "maxBytes", limit: LIMIT, actual: size },
      },
    ]);
    await touchstone.line(new RegExp(`${server} protocol blocked: .*over the limit`));
  });

  it("gets an error even if the id comes last", async () => {
    const { text } = await post(
      touchstone.url("stdio"),
      `{"jsonrpc":"2.0","method":"ping","params":{"x":"${FILLER}"},"id":"last"}`,
    );
    expect(JSON.parse(text)).toMatchObject({ id: "last", error: { code: -32600 } });
  });

  it("gets an error for each id of a batch", async () => {
    const ids = Array.from({ length: 20 }, (_, i) => i + 1);
    const batch = ids.map((id) => request(id, "ping", { FILLER }));
    const { status, text } = await post(touchstone.url("stdio"), batch);
    expect(status).toBe(413);
    expect(JSON.parse(text)).toMatchObject(ids.map((id) => ({ id, error: { code: -32600 } })));
    expect(JSON.parse(text)).toHaveLength(20);
  });

  it("gets an error under 2026-07-28", async () => {
    const { body, headers } = modern("tools/list", { FILLER }, { id: "m" });
    const { status, text } = await post(touchstone.url("stdio"), body, headers);
    expect([status, JSON.parse(text).id]).toEqual([413, "m"]);
  });

  it("is recorded with its session", async () => {
    const headers = await initialize(touchstone.url("stdio"));
    await post(touchstone.url("stdio"), request(8, "ping", { FILLER }), headers);
    expect((await decisions()).at(-1)?.session).toMatch(/^sha256:/);
  });

  it("is answered to the waiting server if it is a client's response", async () => {
    const url = touchstone.url("stdio");
    const headers = await initialize(url);
    const called = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(request(9, "tools/call", { name: "work" })),
    });
    // The head of the stream arrives with the server's request.
    const answer = { jsonrpc: "2.0", id: "ask-1", result: { roots: [], FILLER } };
    expect((await post(url, answer, headers)).status).toBe(413);
    expect(await called.text()).toMatch(/"id":9,"result":.*over the limit/);
  });

  it("leaves nothing behind if its client leaves halfway", async () => {
    const { port } = new URL(touchstone.url("stdio"));
    const before = (await decisions()).length;
    const socket = connect(Number(port), "127.0.0.1");
    const head = "POST /mcp/stdio HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";
    socket.write(`${head}\r\nContent-Length: 200000\r\n\r\n${FILLER}`, () => socket.destroy());
    await touchstone.line(/a client left before its request was complete/);
    expect((await decisions()).length).toBe(before);
  });
});

const asRequest = (stream: PassThrough): IncomingMessage =>
  Object.assign(stream, { socket: {} }) as unknown as IncomingMessage;
const bodies = (): UnfinishedBodies =>
  new UnfinishedBodies({
    limits: { unfinishedBytes: 1_000_000, requestBytes: 1_000 },
    log: createLogger(() => {}, "silent"),
  });

it.each([10, 1_000])(
  "rejects a body that breaks off after %i bytes, under any limit",
  async (sent) => {
    const stream = new PassThrough();
    const read = readRequest(asRequest(stream), 100, bodies());
    stream.write(Buffer.alloc(sent));
    setImmediate(() => stream.destroy());
    await expect(read).rejects.toThrow("the connection was closed in the middle of the body");
  },
);

it("rejects a body whose client left before it was read", async () => {
  const stream = new PassThrough().destroy();
  await expect(readRequest(asRequest(stream), 100, bodies())).rejects.toThrow(
    "the connection was closed",
  );
});
