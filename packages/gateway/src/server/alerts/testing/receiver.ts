import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request as it was received. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks on a free port. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves with the received requests, once there are `count` of them. */
  whenThereAre(count: number): Promise<readonly Received[]>;
}

/** Starts one for the running test. @param answer how it responds to each request, by its number from 0 on */
export async function startReceiver(
  answer: (response: ServerResponse, at: number) => void = (response) => response.end("ok"),
): Promise<Receiver> {
  const received: Received[] = [];
  let wake: (() => void)[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString("utf8");
      received.push({ path: request.url ?? "", headers: request.headers, body });
      answer(response, received.length - 1);
      for (const each of wake.splice(0)) each();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    wake = [];
    await once(server, "close");
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/SECRET-PATH`,
    received,
    async whenThereAre(count) {
      while (received.length < count) await new Promise<void>((resolve) => wake.push(resolve));
      return received;
    },
  };
}
