import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sendResponse } from "./responses.ts";

let server: Server;
let answer: Response;
beforeEach(async () => {
  server = createServer((_, response) => void sendResponse(answer, response, 50));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function ask(): Socket {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return socket;
}
/** A response without an end, and a promise that resolves when its reader cancels it. */
function endless(next: () => Promise<string>) {
  let left = (): void => {};
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => controller.enqueue(Buffer.from(await next())),
    cancel: () => left(),
  });
  answer = new Response(body);
  return gone;
}

it("drops a client that reads nothing", async () => {
  const gone = endless(async () => "x".repeat(65_536));
  const socket = ask()
    .on("error", () => {})
    .pause();
  await gone;
  const closed = once(socket, "close");
  socket.resume();
  await closed;
  expect(socket.destroyed).toBe(true);
});

it("drops a client that reads nothing of a small response", async () => {
  const answered = new Promise<ServerResponse>((resolve) => {
    server.once("request", (_: IncomingMessage, response) => resolve(response));
  });
  const piece = "x".repeat(2_048);
  const gone = endless(async () => {
    const response = await answered;
    // Data that fits into the socket's buffer is sent at once.
    if (response.writableLength > 0) await setImmediate();
    if (response.writableLength > 0) await new Promise(() => {});
    return piece;
  });
  const socket = ask()
    .on("error", () => {})
    .pause();
  await gone;
  socket.destroy();
});

it("waits for a slow body", async () => {
  let says: (text: string) => void = () => {};
  const gone = endless(
    () =>
      new Promise((resolve) => {
        says = resolve;
      }),
  );
  const socket = ask().setEncoding("utf8");
  const timedOut = new Promise((resolve) => {
    server.once("request", (_: IncomingMessage, response) => response.on("timeout", resolve));
  });
  await timedOut;
  says("late");
  let text = "";
  for await (const piece of socket) {
    text += String(piece);
    if (text.includes("late")) break;
  }
  expect(text).toMatch(/^HTTP\/1.1 200 .*late/s);
  await gone;
});
