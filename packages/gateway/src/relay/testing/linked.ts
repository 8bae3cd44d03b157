import type { ServerResponse } from "node:http";
import { SchemaCache } from "@touchstone/core/advanced";
import { onTestFinished } from "vitest";
import { createLogger } from "../../../../util/src/log.ts";
import { ToolContract } from "../../contracts/contract.ts";
import { type SeenRequest, startHttpUpstream } from "../../testing/http.ts";
import { LineLog } from "../../testing/line-log.ts";
import { HttpLink } from "../http/upstream-link.ts";

/** What a client begins a session with, and what the server agrees to. */
export const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "c" },
};
export const AGREED =
  '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s"}}';

/** The text of a response. */
export const result = (id: unknown, text = "{}"): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;

/** What a server does with a request. */
export type Answer = (seen: SeenRequest, response: ServerResponse) => void | Promise<void>;

export function json(response: ServerResponse, text: string, status = 200, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

export function events(response: ServerResponse, text: string): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(text);
  return response;
}

/** A link to a server that answers as told, for the running test. */
export async function linked(answer: Answer, tools: readonly object[] = []) {
  const upstream = await startHttpUpstream(answer);
  const received = new LineLog();
  const tooLarge = new LineLog();
  const log = new LineLog();
  const contracts = new Map(
    tools.map((inputSchema, i) => {
      const text = Buffer.from(JSON.stringify(inputSchema));
      return [`tool${i}`, new ToolContract({ name: "", inputSchema: text }, new SchemaCache())];
    }),
  );
  const link = new HttpLink(
    {
      upstream: { type: "http", url: upstream.url, headers: { "X-Tenant": "t" } },
      maxFrameBytes: 4_096,
      contractOf: ({ toolName = "" }) => contracts.get(toolName),
      log: createLogger((line) => log.add(line), "debug"),
    },
    {
      frame: (bytes) => received.add(Buffer.from(bytes).toString()),
      oversize: ({ size }, answers) => tooLarge.add(JSON.stringify({ size, answers })),
    },
  );
  const close = () => link.close(1_000);
  onTestFinished(async () => {
    await close();
    await upstream.close();
  });
  const send = (message: object) =>
    link.send(Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message })));
  const answered = async (id: unknown) =>
    JSON.parse(await received.find((line) => JSON.parse(line).id === id));
  return { upstream, link, received, tooLarge, log, send, answered, close };
}
