import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** The parts of a request that endpoints read besides its body: a request of Node's, or of the gateway's own client. */
export interface HttpRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The parts of a response that endpoints use: a response of Node's, or of the gateway's own client. */
export interface HttpResponse {
  readonly headersSent: boolean;
  readonly statusCode: number;
  /** Whether its connection is closed, by either side. */
  readonly destroyed: boolean;
  /** Whether `close` was emitted. */
  readonly closed: boolean;
  readonly writableEnded: boolean;
  readonly writableNeedDrain: boolean;
  /** Its connection; null if it does not have a connection of its own. */
  readonly socket: {
    readonly writableLength: number;
    readonly timeout?: number | undefined;
  } | null;
  writeHead(status: number, headers?: OutgoingHttpHeaders): this;
  flushHeaders(): void;
  getHeader(name: string): number | string | string[] | undefined;
  write(bytes: Uint8Array | string): boolean;
  end(bytes?: Uint8Array): this;
  destroy(): this;
  /** Emits `timeout` after this time without a byte, in milliseconds; never if 0. */
  setTimeout(ms: number): this;
  on(event: "close" | "drain" | "finish" | "timeout", listener: () => void): this;
  once(event: "close" | "finish", listener: () => void): this;
  off(event: "close" | "drain" | "timeout", listener: () => void): this;
  prependOnceListener(event: "finish", listener: () => void): this;
}

/** Returns the first value of a header. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Returns where a client's stream continues. An empty id counts as none: an `EventSource` that has one sends no header
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 */
export function lastEventId(request: HttpRequest): string | undefined {
  return headerOf(request, "last-event-id") || undefined;
}
