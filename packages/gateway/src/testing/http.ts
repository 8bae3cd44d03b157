import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A response with its exact text. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON-RPC messages of the response, as text: its body, or the data of its events. */
  readonly messages: readonly string[];
}

const ACCEPT = "application/json, text/event-stream";
const META = "io.modelcontextprotocol/";

/** POSTs a JSON-RPC message; a string is sent unchanged. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { accept: ACCEPT, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, messages: messagesOf(text) };
}

function messagesOf(text: string): string[] {
  if (!/^(data|id|event|:)/.test(text)) return text === "" ? [] : [text];
  return text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
}

/** Returns a request of 2026-07-28 and the headers that it needs. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  { id = 1, meta = {} }: { id?: unknown; meta?: Record<string, unknown> } = {},
): { readonly body: string; readonly headers: Record<string, string> } {
  const _meta = {
    [`${META}protocolVersion`]: "2026-07-28",
    [`${META}clientCapabilities`]: {},
    ...meta,
  };
  const name = params["name"];
  return {
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } }),
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    },
  };
}

export function request(id: unknown, method: string, params: unknown = {}): object {
  return { jsonrpc: "2.0", id, method, params };
}

/** The client that opens a session. */
export interface SessionClient {
  readonly capabilities?: object;
  readonly clientInfo?: object;
  /** Further headers of its requests, such as a key. Later requests must send them again. */
  readonly headers?: Record<string, string>;
}

/** Opens a session; returns the headers that its later requests need. */
export async function initialize(
  url: string,
  version = "2025-11-25",
  {
    capabilities = {},
    clientInfo = { name: "test", version: "1" },
    headers: own = {},
  }: SessionClient = {},
): Promise<Record<string, string>> {
  const params = { protocolVersion: version, capabilities, clientInfo };
  const answer = await post(url, request(0, "initialize", params), own);
  const session = answer.headers.get("mcp-session-id");
  if (session === null) throw new Error(`no session: ${answer.text}`);
  const headers = { "mcp-session-id": session, "mcp-protocol-version": version };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, { ...own, ...headers });
  return headers;
}

/** A request that an upstream received. */
export interface SeenRequest {
  readonly method: string;
  /** The path, with its query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface HttpUpstreamServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

/** Starts an upstream that responds with the bytes that `answer` writes. */
export async function startHttpUpstream(
  answer: (seen: SeenRequest, response: ServerResponse) => void | Promise<void>,
): Promise<HttpUpstreamServer> {
  const seen: SeenRequest[] = [];
  const server: Server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const chunk of incoming) parts.push(chunk as Buffer);
    const { method = "", url: path = "", headers } = incoming;
    const one = { method, path, headers, body: Buffer.concat(parts).toString() };
    seen.push(one);
    await answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp?key=s3cret`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
