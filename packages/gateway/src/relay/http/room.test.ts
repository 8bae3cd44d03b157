import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { EventStream, SessionStreams } from "../../transport/http/event-stream.ts";
import { Reply } from "../../transport/http/reply.ts";
import { ListeningStream } from "./session-answers.ts";

/** More than the buffers of a connection hold. */
const LARGE = Buffer.from(JSON.stringify("x".repeat(16 * 1024 * 1024)));

const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/** A response, and its client, which reads nothing yet. */
async function unread(): Promise<{ response: ServerResponse; client: Socket; server: Server }> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  client.write(REQUEST);
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { response, client, server };
}

function streams(stalled: () => void = () => {}) {
  return new SessionStreams(() => "2025-11-25", stalled);
}

it("removes its listeners after a stream had to wait", async () => {
  const { response, client } = await unread();
  client.resume();
  const stream = new EventStream(response, {}, streams().own);
  await stream.send(LARGE);
  const listeners = () => response.eventNames().map((name) => response.listenerCount(name));
  const before = listeners();
  for (let i = 0; i < 5; i += 1) await stream.send(LARGE);
  expect(listeners()).toEqual(before);
});

it("drops an unread stream that delays a session's other messages", async () => {
  const { response } = await unread();
  const stalled = vi.fn();
  const sent = new EventStream(response, {}, streams(stalled).own).send(LARGE);
  const waits = response.socket?.timeout;
  response.socket?.emit("timeout");
  await sent;
  expect([waits, response.destroyed]).toEqual([30_000, true]);
  expect(stalled).toHaveBeenCalledOnce();
});

it("drops an unread stream outside a session", async () => {
  const { response } = await unread();
  const sent = new EventStream(response).send(LARGE);
  response.socket?.emit("timeout");
  await sent;
  expect(response.destroyed).toBe(true);
});

it("drops an unread response", async () => {
  const { response } = await unread();
  new Reply(response, 1).json(200, LARGE);
  expect(response.socket?.timeout).toBe(30_000);
  response.socket?.emit("timeout");
  expect(response.destroyed).toBe(true);
});

it("keeps the connection open after a response was read", async () => {
  const { response, client, server } = await unread();
  new Reply(response, 1).json(200, LARGE);
  client.resume();
  await once(response, "close");
  client.write(REQUEST);
  const [, next] = (await once(server, "request")) as [unknown, ServerResponse];
  expect(next.socket?.timeout).toBe(0);
});

it("waits without limit once a stream has made progress", async () => {
  const { response, client } = await unread();
  const sent = new EventStream(response, {}, streams().own).send(LARGE);
  client.resume();
  await sent;
  expect([response.socket?.timeout, response.destroyed]).toEqual([0, false]);
});

it("stops waiting for a stream that the client has replaced", async () => {
  const [first, second] = [await unread(), await unread()];
  const own = new ListeningStream();
  const kept = streams().own;
  await own.begin(new EventStream(first.response, {}, kept));
  const sent = own.send(LARGE);
  expect(first.response.writableNeedDrain).toBe(true);
  await own.begin(new EventStream(second.response, {}, kept, []));
  await sent;
  expect(first.response.destroyed).toBe(true);
  expect(second.response.destroyed).toBe(false);
});
