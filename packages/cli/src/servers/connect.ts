import { statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { compileSchema, mcpSchemaValidator } from "@touchstone/core";
import { safeText } from "../terminal/safe-text.ts";
import { connectWithin, probeWithin } from "./handshake.ts";
import { closeOnStop } from "./leaving.ts";
import { reachError } from "./reach-error.ts";
import type { ServerTarget } from "./target.ts";

/** A server that answers. */
export interface Connection {
  /** The revision that was agreed on. */
  readonly revision: string;
  /** `name/version` as the server introduces itself. */
  readonly server: string;
  /** The declarations of all pages as they came, each of any shape. */
  listTools(): Promise<readonly unknown[]>;
  /** The result of a call as it came. */
  callTool(name: string, args: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** For each answer, in milliseconds; a server that never says anything has no more in all. */
  readonly timeout: number;
  /** Takes what a stdio server writes to stderr. */
  readonly stderr: (text: string) => void;
  /** What a stdio server is started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** When aborted, what is asked fails, and a stdio server has only a moment left. */
  readonly stop: AbortSignal;
}

/** Pages of a list; a server that never ends is not followed for ever. */
const MAX_PAGES = 100;

// Results are taken as they come: a fault in one tool must not hide the others.
const ANYTHING = compileSchema({ value: { type: "object" } });
const PAGE = compileSchema({
  value: {
    type: "object",
    required: ["tools"],
    properties: { tools: { type: "array" }, nextCursor: { type: "string" } },
  },
});
interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor?: string;
}

/**
 * Connects to a server: 2026-07-28 where it speaks that, else the older revisions' handshake.
 * @throws Error where it cannot be started or reached, or does not answer in time
 */
export async function connect(
  { upstream }: ServerTarget,
  { timeout, stderr, env, version, stop }: ConnectOptions,
): Promise<Connection> {
  stop.throwIfAborted();
  const isStdio = upstream.type === "stdio";
  const versionNegotiation = {
    mode: "auto",
    ...(isStdio ? { probe: probeWithin(timeout) } : {}),
  } as const;
  const client = new Client(
    { name: "touchstone", version },
    { versionNegotiation, jsonSchemaValidator: mcpSchemaValidator() },
  );
  const transport =
    upstream.type === "http"
      ? new StreamableHTTPClientTransport(new URL(upstream.url), {
          requestInit: { headers: { ...upstream.headers } },
          ...(await throughProxy(upstream.url, env)),
        })
      : stdio(upstream, env, stderr);
  closeOnStop(transport, stop);
  const limits = { timeout };
  try {
    if (isStdio) await connectWithin(client, transport, timeout);
    else await client.connect(transport, limits);
  } catch (error) {
    await Promise.allSettled([client.close(), transport.close()]);
    throw cwdError(upstream) ?? reachError(error);
  }
  const info = client.getServerVersion();
  return {
    revision: client.getNegotiatedProtocolVersion() ?? "unknown",
    server: `${info?.name ?? "unknown"}/${info?.version ?? "?"}`,
    async listTools() {
      const tools: unknown[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < MAX_PAGES; pages += 1) {
        const params = cursor === undefined ? {} : { params: { cursor } };
        const request = { method: "tools/list", ...params };
        const answer = (await client.request(request, PAGE, limits).catch(inWords)) as Page;
        for (const tool of answer.tools) tools.push(tool);
        if (answer.nextCursor === undefined) return tools;
        cursor = answer.nextCursor;
      }
      throw new Error(`the list of tools does not end: ${MAX_PAGES} pages were read`);
    },
    callTool: (name, args) =>
      client
        .request(
          { method: "tools/call", params: { name, arguments: args as Record<string, unknown> } },
          ANYTHING,
          limits,
        )
        .catch(inWords),
    close: async () => {
      await client.close();
      await transport.close();
    },
  };
}

function inWords(error: unknown): never {
  throw reachError(error);
}

/** The system does not tell a directory that is missing from a command that is. */
function cwdError(upstream: ServerTarget["upstream"]): Error | undefined {
  if (upstream.type !== "stdio" || upstream.cwd === undefined) return undefined;
  if (statSync(upstream.cwd, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return new Error(
    `its "cwd" is no directory: ${safeText(upstream.cwd)}; make it, or name another one`,
  );
}

/** The gateway, which knows of proxies, is loaded only where the environment names one. */
async function throughProxy(
  url: string,
  env: ConnectOptions["env"],
): Promise<{ readonly fetch?: typeof fetch }> {
  if (!Object.keys(env).some((name) => /^https?_proxy$/i.test(name))) return {};
  const { proxiedFetch } = await import("@touchstone/gateway");
  const through = proxiedFetch(url, env);
  return through === undefined ? {} : { fetch: through };
}

function stdio(
  upstream: Extract<ServerTarget["upstream"], { type: "stdio" }>,
  env: ConnectOptions["env"],
  stderr: ConnectOptions["stderr"],
): StdioClientTransport {
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith("TOUCHSTONE_"),
  );
  const transport = new StdioClientTransport({
    command: upstream.command,
    args: [...upstream.args],
    env: { ...Object.fromEntries(inherited), ...upstream.env },
    stderr: "pipe",
    ...(upstream.cwd === undefined ? {} : { cwd: upstream.cwd }),
  });
  const decoder = new StringDecoder("utf8");
  transport.stderr?.on("data", (chunk: Buffer) => stderr(decoder.write(chunk)));
  return transport;
}
