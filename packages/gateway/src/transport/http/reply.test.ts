import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { EventStream } from "./event-stream.ts";
import { Reply } from "./reply.ts";

/** A response to a client that reads nothing until the test makes it read. */
async function openResponse(): Promise<{ response: ServerResponse; client: Socket }> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const client = connect(port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  onTestFinished(() => void client.destroy());
  return { response, client };
}

/** A response whose client disconnected before anything was written. */
async function leftResponse(): Promise<ServerResponse> {
  const { response, client } = await openResponse();
  client.destroy();
  await once(response, "close");
  return response;
}

it("leaves no timer if the client had already left", async () => {
  const response = await leftResponse();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reply = new Reply(response, 1);
  expect(vi.getTimerCount()).toBe(0);
  await reply.answer(Buffer.from("{}"));
  void new EventStream(response);
  expect(vi.getTimerCount()).toBe(0);
});

it("sends keep-alive comments only while the client reads", async () => {
  const { response, client } = await openResponse();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const stream = new EventStream(response);
  const comments = (): number => write.mock.calls.filter(([piece]) => isComment(piece)).length;
  const isComment = (piece: unknown): boolean => String(piece) === ": \n\n";
  const write = vi.spyOn(response, "write");
  vi.advanceTimersByTime(15_000);
  expect(comments()).toBe(1);
  // More than the buffers of both sides can hold.
  const sent = stream.send(Buffer.alloc(16 * 1024 * 1024, "a"));
  expect(response.writableNeedDrain).toBe(true);
  vi.advanceTimersByTime(60_000);
  expect(comments()).toBe(1);
  client.resume();
  await sent;
  vi.advanceTimersByTime(15_000);
  expect(comments()).toBe(2);
});
