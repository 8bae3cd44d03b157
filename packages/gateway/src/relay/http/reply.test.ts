import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { EventStream, Reply } from "./reply.ts";

/** A response whose client has left before anything was written. */
async function leftResponse(): Promise<ServerResponse> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const client = connect(port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  client.destroy();
  await once(response, "close");
  return response;
}

it("leaves no timer behind where the client had left before", async () => {
  const response = await leftResponse();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reply = new Reply(response, 1);
  expect(vi.getTimerCount()).toBe(0);
  await reply.answer(Buffer.from("{}"));
  void new EventStream(response);
  expect(vi.getTimerCount()).toBe(0);
});
