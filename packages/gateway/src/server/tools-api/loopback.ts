import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { type Frame, readFrame } from "@touchstone/protocol";
import { saysSessionIsOver } from "../../transport/http/client-session.ts";
import { mediaType } from "../../transport/http/headers.ts";
import type { OfOwnClient } from "../../transport/http/identity.ts";
import { isAnswer } from "../../transport/http/messages.ts";
import { SseSplitter } from "../../transport/http/sse.ts";
import { concatBytes } from "../../util/concat-bytes.ts";
import type { LentKey } from "../lent-keys.ts";

/** The gateway's own address. */
export interface OwnAddress {
  /** The address that it listens at; a wildcard stands for loopback. */
  readonly host: string;
  readonly port: number;
}

/** One JSON-RPC message for an endpoint of the gateway's own, or the end of a session. */
export interface Posting {
  /** Default POST. */
  readonly method?: "POST" | "DELETE";
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Largest response, in bytes. */
  readonly maxBytes: number;
  /** What the gateway must know of a call beside the message. */
  readonly own?: Pick<OfOwnClient, "repair" | "onRefusal"> | undefined;
  /** Receives what the server sends before the response: its notifications and requests. */
  readonly onMessage: (frame: Frame, headers: IncomingHttpHeaders) => void;
}

/** The response. `answer` is absent if there is only a status. */
export interface Posted {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly answer?: Frame;
  /** Whether the server says in words that it does not know the session. */
  readonly sessionOver?: boolean;
}

/** Sends a message to the endpoint of one server. Rejects if the response cannot be read. */
export type Post = (posting: Posting) => Promise<Posted>;

const WILDCARDS: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
  ["", "127.0.0.1"],
]);

/** Returns the host by which this machine reaches a listener: loopback for a wildcard. */
export function reachableHost(host: string): string {
  return WILDCARDS.get(host) ?? host;
}

/**
 * Posts to `/mcp/{server}` of the gateway's own listener, so that whatever is sent is checked and
 * recorded like any client's message.
 * @param address read for every message, since the gateway may move
 * @param key says who sends it; of a message with `own`, `lend` returns another one that says that too
 */
export function loopback(
  server: string,
  address: () => OwnAddress,
  { key, lend }: { readonly key: string; readonly lend?: (own: OfOwnClient) => LentKey },
): Post {
  return async (posting) => {
    const { host, port } = address();
    const lent = posting.own && lend?.(posting.own);
    const response = await send(posting, {
      host: reachableHost(host),
      port,
      path: `/mcp/${encodeURIComponent(server)}`,
      headers: {
        ...posting.headers,
        // This name is allowed wherever the gateway listens.
        host: `localhost:${port}`,
        "x-api-key": lent?.key ?? key,
      },
    }).finally(() => lent?.giveBack());
    const { statusCode: status = 0, headers } = response;
    try {
      return { status, headers, ...(await readAnswer(response, posting)) };
    } finally {
      response.destroy();
    }
  };
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

function send(
  { method = "POST", body, signal }: Posting,
  target: Target,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...target.headers,
    };
    // A connection for each message: none stays open when the gateway stops.
    const options = { ...target, headers, method, agent: false, signal };
    request(options, resolve).on("error", reject).end(body);
  });
}

async function readAnswer(
  response: IncomingMessage,
  { maxBytes, onMessage }: Posting,
): Promise<Pick<Posted, "answer" | "sessionOver">> {
  const chunks = response as AsyncIterable<Uint8Array>;
  if (mediaType(response.headers["content-type"]) === "text/event-stream") {
    const events = new SseSplitter(maxBytes);
    for await (const chunk of chunks) {
      for (const { data } of events.push(chunk)) {
        if (data === undefined || data.length === 0) continue;
        // The gateway has read it whole.
        const frame = readFrame(data, { outline: true });
        if (isAnswer(frame)) return { answer: frame };
        onMessage(frame, response.headers);
      }
    }
    return {};
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`);
    parts.push(chunk);
  }
  const body = concatBytes(parts);
  const frame = readFrame(body, { outline: true });
  const sessionOver = saysSessionIsOver(response.statusCode ?? 0, body);
  return isAnswer(frame) ? { answer: frame, sessionOver } : { sessionOver };
}
