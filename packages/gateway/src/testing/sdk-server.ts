import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of the official SDK over Streamable HTTP. */
export interface SdkServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the responses of the official SDK unchanged. */
export async function serveSdk(handler: {
  fetch(request: Request): Promise<Response>;
}): Promise<SdkServer> {
  const server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = [];
    for await (const chunk of incoming) parts.push(chunk as Buffer);
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
    const { method = "GET", url = "/" } = incoming;
    const answer = await handler.fetch(
      new Request(`http://${incoming.headers.host}${url}`, {
        method,
        headers: headers as [string, string][],
        ...(method === "POST" ? { body: Buffer.concat(parts) } : {}),
      }),
    );
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) outgoing.write(chunk);
    outgoing.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
