import { createServer, request as requestOf, type Server } from "node:http";
import { connect, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect as connectTcp, type Socket } from "node:net";
import fastify from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { buildUIRoutes, type RouteRequest, type ToolCallHandler } from "./index.ts";
import { TOOLS } from "./testing/fixtures.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanup.splice(0)) await end();
});

/** Returns a tool that runs until its client has left, and promises for what happens to it. */
function slowTool(): { handleCall: ToolCallHandler; running: Promise<void>; left: Promise<void> } {
  let run = (): void => {};
  let leave = (): void => {};
  const running = new Promise<void>((resolve) => {
    run = resolve;
  });
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const handleCall: ToolCallHandler = (_name, _args, { signal }) => {
    signal.addEventListener("abort", leave);
    run();
    return new Promise(() => {});
  };
  return { handleCall, running, left };
}

function routeTo(pattern: string, handleCall: ToolCallHandler) {
  const routes = buildUIRoutes(TOOLS, handleCall, { allowExecute: true });
  const route = routes.find((candidate) => candidate.pattern === pattern);
  if (route === undefined) throw new Error(`no route ${pattern}`);
  return (request: RouteRequest) => route.handler(request, { name: "open" });
}
const CALL = "/tools/:name/call";

async function listen(server: Pick<Server, "listen" | "address" | "close">): Promise<number> {
  cleanup.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function post(port: number) {
  const headers = { "content-type": "application/json" };
  const sent = requestOf({ port, host: "127.0.0.1", method: "POST", headers });
  sent.on("error", () => {});
  sent.end("{}");
  return sent;
}

describe("a route of buildUIRoutes notices that its client has left", () => {
  it("in node:http", async () => {
    const { handleCall, running, left } = slowTool();
    const handler = routeTo(CALL, handleCall);
    const port = await listen(createServer((request) => void handler(request)));
    const sent = post(port);
    await running;
    sent.destroy();
    await left;
  });

  it("in node:http2", async () => {
    const { handleCall, running, left } = slowTool();
    const handler = routeTo(CALL, handleCall);
    const server = createHttp2Server((request) => void handler(request as never));
    const port = await listen(server as never);
    const session = connect(`http://127.0.0.1:${port}`);
    cleanup.unshift(() => session.destroy());
    const headers = { ":method": "POST", "content-type": "application/json" };
    const stream = session.request(headers);
    stream.on("error", () => {});
    stream.end("{}");
    await running;
    stream.close();
    await left;
    expect(session.destroyed).toBe(false);
  });

  it("in Fastify, whose request wraps Node's", async () => {
    const { handleCall, running, left } = slowTool();
    const handler = routeTo(CALL, handleCall);
    const app = fastify();
    app.post("/", ({ method, url, headers, body, raw }) =>
      handler({ method, url, headers, body, raw } as RouteRequest),
    );
    cleanup.push(() => app.close());
    await app.listen({ port: 0, host: "127.0.0.1" });
    const sent = post((app.server.address() as AddressInfo).port);
    await running;
    sent.destroy();
    await left;
  });

  it("before the handler starts", async () => {
    const handler = routeTo("/tools", () => [[], false]);
    const answers: Promise<Response>[] = [];
    const server = createServer((request) => {
      request.socket.destroy();
      answers.push(handler(request));
    });
    const sent = post(await listen(server));
    await new Promise((resolve) => sent.on("close", resolve));
    expect((await answers[0])?.status).toBe(499);
  });
});

it("adds one listener per connection, not per request", async () => {
  const handler = routeTo("/tools", () => [[], false]);
  const sockets = new Set<Socket>();
  const before: number[] = [];
  const server = createServer((request, response) => {
    if (!sockets.has(request.socket)) before.push(request.socket.listenerCount("close"));
    sockets.add(request.socket);
    void handler(request).then(({ status }) => response.writeHead(status).end());
  });
  const socket = connectTcp(await listen(server), "127.0.0.1");
  cleanup.unshift(() => socket.destroy());
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(20));
  let text = "";
  for await (const chunk of socket) {
    text += chunk;
    if (text.match(/200 OK/g)?.length === 20) break;
  }
  expect(sockets.size).toBe(1);
  expect([...sockets][0]?.listenerCount("close")).toBeLessThanOrEqual((before[0] ?? 0) + 1);
});
