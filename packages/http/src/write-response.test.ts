import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import { writeResponse } from "./write-response.ts";

/** A text larger than the buffers of two sockets. */
const LARGE = "x".repeat(32 * 1024 * 1024);
const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** Starts a server that responds with a text, and ends the connection of a client that reads nothing for `stallMs`. */
async function answering(text: string, stallMs: number) {
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    responses.push(response);
    void writeResponse(new Response(text), response, stallMs);
  });
  server.keepAliveTimeout = 0;
  opened.push({ close: () => server.close().closeAllConnections() });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  opened.push({ close: () => client.destroy() });
  return { client, server, responses };
}

describe("a client", () => {
  it("that reads nothing is disconnected", async () => {
    const { client, server, responses } = await answering(LARGE, 50);
    client.pause();
    client.write(GET);
    await once(server, "request");
    const [response] = responses;
    if (response?.closed === false) await once(response, "close");
    client.resume();
    await once(client, "close");
    expect(client.bytesRead).toBeLessThan(LARGE.length);
  });

  it("that reads slowly gets the whole response", long, async () => {
    const stallMs = 2_000;
    const { client } = await answering(LARGE, stallMs);
    const began = performance.now();
    let read = 0;
    client.on("data", (piece) => {
      read += piece.length;
      // The pauses together are longer than the server waits for a client that reads nothing.
      client.pause();
      setTimeout(() => client.resume(), 5);
    });
    client.write(GET);
    while (read < LARGE.length) await once(client, "data");
    expect(performance.now() - began).toBeGreaterThan(stallMs);
    expect(client.destroyed).toBe(false);
  });

  it("that has read a response keeps its connection up to the server's timeout", async () => {
    const { client, responses } = await answering("{}", 50);
    client.write(GET);
    await once(client, "data");
    const [response] = responses;
    if (response?.writableFinished === false) await once(response, "finish");
    expect(response?.socket?.timeout ?? 0).toBe(0);
    client.write(GET);
    await once(client, "data");
    expect(responses).toHaveLength(2);
  });
});

/** Returns a body that yields one byte and then nothing, and a promise that resolves when the body is canceled. */
function silent(): {
  readonly body: ReadableStream<Uint8Array>;
  readonly cancelled: Promise<void>;
} {
  let cancel: () => void = () => {};
  const cancelled = new Promise<void>((resolve) => {
    cancel = resolve;
  });
  const start = (to: ReadableStreamDefaultController<Uint8Array>): void =>
    to.enqueue(new Uint8Array([0x2e]));
  return { body: new ReadableStream({ start, cancel: () => cancel() }), cancelled };
}

describe("a body that sends nothing more", () => {
  const answer = async (before: (response: ServerResponse) => void) => {
    const { body, cancelled } = silent();
    const server = createServer((_request, response) => {
      before(response);
      void writeResponse(new Response(body), response);
    });
    opened.push({ close: () => server.close().closeAllConnections() });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.on("error", () => {});
    client.write(GET);
    return { client, cancelled };
  };

  it("is canceled when its client leaves", async () => {
    const { client, cancelled } = await answer(() => {});
    await once(client, "data");
    client.destroy();
    await cancelled;
  });

  it("is canceled if its client has already left", async () => {
    const { cancelled } = await answer((response) => response.destroy());
    await cancelled;
  });

  it("is canceled if its headers cannot be sent", async () => {
    const { cancelled } = await answer((response) => {
      response.writeHead = () => {
        throw new TypeError("no such header");
      };
    });
    await cancelled;
  });
});
