import { isDeepStrictEqual } from "node:util";
import { compileSchema } from "@touchstone/core";
import { ExactCalls } from "./exact-call.ts";
import { openHttp } from "./open-http.ts";
import { openStdio } from "./open-stdio.ts";
import type { ConnectOptions, Opened } from "./opened.ts";
import { reachError } from "./reach-error.ts";
import type { ServerTarget } from "./target.ts";

export type { ConnectOptions } from "./opened.ts";

/** What has to be known of a tool to call it. */
export interface CalledTool {
  readonly name: string;
  readonly inputSchema?: unknown;
}

/** What a call gave. */
export interface CallAnswer {
  readonly value: Record<string, unknown>;
  /** The JSON text of the result, as it came. */
  readonly text: string;
}

/** A server that answers. */
export interface Connection {
  /** The revision that was agreed on. */
  readonly revision: string;
  /** `name/version` as the server introduces itself. */
  readonly server: string;
  /**
   * The declarations of all pages as they came, each of any shape.
   * @param page takes the JSON text of each page, in which numbers are as they were written
   */
  listTools(page?: (text: string) => void): Promise<readonly unknown[]>;
  /**
   * Calls a tool.
   * @param args JSON text of the arguments, which goes as it is
   * @throws AnsweredError where the server answers with an error of JSON-RPC, else an error that says why there
   *   is no answer
   */
  callTool(tool: CalledTool, args: string | Uint8Array): Promise<CallAnswer>;
  close(): Promise<void>;
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
export async function connect(target: ServerTarget, options: ConnectOptions): Promise<Connection> {
  options.stop.throwIfAborted();
  const exact = new ExactCalls();
  const { upstream } = target;
  const opened =
    upstream.type === "http"
      ? await openHttp(upstream, options, exact)
      : await openStdio({ ...target, upstream }, options, exact);
  return connection(opened, options, exact);
}

function connection(
  { client, transport }: Opened,
  { timeout }: ConnectOptions,
  exact: ExactCalls,
): Connection {
  const limits = { timeout };
  const info = client.getServerVersion();
  const inWords = (error: unknown): never => {
    throw transport.fault ?? reachError(error);
  };
  return {
    revision: client.getNegotiatedProtocolVersion() ?? "unknown",
    server: `${info?.name ?? "unknown"}/${info?.version ?? "?"}`,
    async listTools(page) {
      const tools: unknown[] = [];
      let cursor: string | undefined;
      let before: readonly unknown[] = [];
      for (let pages = 0; pages < MAX_PAGES; pages += 1) {
        const params = cursor === undefined ? {} : { params: { cursor } };
        const request = { method: "tools/list", ...params };
        const ask = (): Promise<Page> =>
          client.request(request, PAGE, limits).catch(inWords) as Promise<Page>;
        const { value, text } =
          page === undefined ? { value: await ask() } : await exact.answer("tools/list", ask);
        const { nextCursor } = value;
        // Some servers never leave the cursor out (`""`), and begin anew when they are asked for it.
        const namesItself = nextCursor !== undefined && nextCursor === cursor;
        if (namesItself && isDeepStrictEqual(value.tools, before)) return tools;
        if (text !== undefined) page?.(text);
        for (const tool of value.tools) tools.push(tool);
        if (nextCursor === undefined || namesItself) return tools;
        cursor = nextCursor;
        before = value.tools;
      }
      throw new Error(`the list of tools does not end: ${MAX_PAGES} pages were read`);
    },
    callTool: ({ name, inputSchema }, args) =>
      exact
        .run(args, inputSchema, (placeholder) => {
          const request = { method: "tools/call", params: { name, arguments: placeholder } };
          return client.request(request, ANYTHING, limits) as Promise<Record<string, unknown>>;
        })
        .catch(inWords),
    close: async () => {
      await client.close();
      await transport.close();
    },
  };
}
