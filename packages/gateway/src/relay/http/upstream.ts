import type { IncomingHttpHeaders } from "node:http";
import { lateImport, parseUrl, tlsErrorText } from "@touchstone/util";
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import type { HttpUpstream } from "../../config/config.ts";
import { shownUrl } from "../../config/shown-url.ts";
import { type HeaderFields, requestHeaders } from "../../transport/http/headers.ts";
import { routeToUrl, type UrlRoute } from "../../transport/http/proxy.ts";
import {
  requirePlainBody,
  type UpstreamCall,
  UpstreamError,
  type UpstreamHeaders,
  type UpstreamRequest,
  type UpstreamRequestOptions,
  type UpstreamResponse,
} from "../../transport/http/upstream-call.ts";
import type { UpstreamStatus } from "../../transport/upstream-status.ts";
import { OwnClientMessages } from "./own-messages.ts";

const loadProxyAgent = lateImport(() => import("../../transport/http/proxy-agent.ts"), {
  isRare: true,
});

/**
 * Pieces of up to 64 KB are read at a time. A piece that fills the socket's buffer, which has the same default size,
 * would stop and restart reading: two more system calls.
 */
const SOCKETS: object = { highWaterMark: 131_072 };

const ENDED = "the gateway has ended before the server answered";

/** A URL, and what requests need of it. */
interface Target {
  readonly url: string;
  readonly origin: string;
  readonly path: string;
}

function targetAt(url: string): Target {
  const { origin, pathname, search } = new URL(url);
  return { url, origin, path: pathname + search };
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.map(causeOf).join("; ");
  return tlsErrorText(error) ?? error.message;
}

async function connectionsBy(way: UrlRoute): Promise<Dispatcher> {
  if (way.proxy === undefined) {
    return new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: SOCKETS });
  }
  const { proxyAgent } = await loadProxyAgent();
  return proxyAgent(way);
}

/** Sends HTTP requests to one upstream. Waits for responses without a limit: tool calls may take long. */
export class UpstreamClient implements UpstreamRequestOptions {
  /** The gateway's own messages. */
  readonly own: OwnClientMessages;
  readonly #upstream: HttpUpstream;
  readonly #target: Target;
  readonly #status: UpstreamStatus | undefined;
  readonly #way: UrlRoute;
  /** Connections, by {@link #way}. A redirect never leads to another origin. */
  readonly #connections: Promise<Dispatcher>;
  #closed = false;

  /**
   * @param maxBytes largest body or event to read as a whole
   * @param options.status called with whether the server responds
   * @param options.env variables that may name a proxy
   */
  constructor(
    upstream: HttpUpstream,
    maxBytes: number,
    {
      status,
      env = {},
    }: {
      readonly status?: UpstreamStatus;
      readonly env?: Readonly<Record<string, string | undefined>> | undefined;
    } = {},
  ) {
    this.#way = routeToUrl(upstream.url, env);
    this.#connections = connectionsBy(this.#way);
    this.#upstream = upstream;
    this.#target = targetAt(upstream.url);
    this.#status = status;
    this.own = new OwnClientMessages(this, maxBytes);
  }

  /** Headers that replace a client's. */
  headers(client: IncomingHttpHeaders): UpstreamHeaders {
    const { headers, forwardAuthorization } = this.#upstream;
    return requestHeaders(client, headers, forwardAuthorization);
  }

  /** Returns the part of a client's `Authorization` that the server may see; undefined for nothing. */
  forwarded(authorization: string | undefined): string | undefined {
    return this.#upstream.forwardAuthorization ? authorization : undefined;
  }

  /** Whether the entry sets an `Authorization`, which replaces a client's. */
  get hasCredentials(): boolean {
    return Object.keys(this.#upstream.headers).some((name) => /^authorization$/i.test(name));
  }

  get url(): string {
    return this.#upstream.url;
  }

  async send(request: UpstreamRequest, call: UpstreamCall): Promise<UpstreamResponse> {
    let target = this.#target;
    let current = call;
    const { fault } = this.#way;
    if (fault !== undefined) throw this.#unreached(target.url, fault);
    for (let followed = 0; followed <= MAX_REDIRECTS; followed += 1) {
      let response: UpstreamResponse;
      try {
        response = await this.#sendTo(target, request, current);
      } catch (error) {
        if (current.aborted) throw new UpstreamError("the client closed the connection");
        if (this.#closed) throw new UpstreamError(ENDED);
        throw this.#unreached(target.url, causeOf(error), error);
      }
      const redirect = decideRedirect(target.url, response.statusCode, response.headers);
      if (redirect === undefined) {
        this.#status?.answered(response.statusCode);
        return requirePlainBody(response);
      }
      // Before this one ends, so that the next one can be aborted instead.
      if (redirect.follow) current = current.next();
      response.body.discard();
      if (!redirect.follow) throw this.#failed(redirect.reason);
      target = targetAt(redirect.url);
    }
    throw this.#failed(`the server at ${shownUrl(target.url)} redirects too many times`);
  }

  async #sendTo(
    { origin, path }: Target,
    { method, headers, body }: UpstreamRequest,
    call: UpstreamCall,
  ): Promise<UpstreamResponse> {
    const connections = await this.#connections;
    connections.dispatch({ origin, path, method, headers, body: body ?? null }, call);
    return call.answer;
  }

  #unreached(url: string, reason: string, cause?: unknown): UpstreamError {
    const { proxy } = this.#way;
    const through = proxy === undefined ? "" : ` through the proxy ${proxy.origin}`;
    return this.#failed(`cannot reach the server at ${shownUrl(url)}${through}: ${reason}`, cause);
  }

  #failed(reason: string, cause?: unknown): UpstreamError {
    this.#status?.unreachable(reason);
    return new UpstreamError(reason, { cause });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#connections).destroy(new UpstreamError(ENDED));
  }
}

/** How many redirects of one request to follow. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Statuses under which a request is repeated with its method and body. */
const SAME_REQUEST: ReadonlySet<number> = new Set([307, 308]);

/** A response with a redirect. */
type Redirect =
  | { readonly follow: true; readonly url: string }
  | { readonly follow: false; readonly reason: string };

/**
 * Decides about a redirect (RFC 9110, section 15.4); undefined for any other response. Follows one that repeats the
 * same request at the same origin. Refuses all others, because the configured headers are for that origin only, and
 * does not forward them: a client that followed one would bypass the gateway.
 * @param url the requested URL
 */
export function decideRedirect(
  url: string,
  statusCode: number,
  { location }: HeaderFields,
): Redirect | undefined {
  if (!REDIRECTS.has(statusCode)) return undefined;
  const from = `the server at ${shownUrl(url)} redirects`;
  const status = `(HTTP status ${statusCode})`;
  const target = targetOf(url, location);
  if (target === undefined) return { follow: false, reason: `${from} to no URL ${status}` };
  if (SAME_REQUEST.has(statusCode) && target.origin === new URL(url).origin) {
    return { follow: true, url: target.href };
  }
  const reason = `${from} to ${shownUrl(target.href)} ${status}, which is not followed; if that is the server, configure its URL`;
  return { follow: false, reason };
}

function targetOf(url: string, location: string | string[] | undefined): URL | undefined {
  const target = typeof location === "string" ? parseUrl(location, url) : undefined;
  if (target === undefined) return undefined;
  target.username = "";
  target.password = "";
  return /^https?:$/.test(target.protocol) ? target : undefined;
}
