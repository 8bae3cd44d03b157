import type { IncomingMessage } from "node:http";
import { createApi } from "./api.ts";
import type { IncomingRequest, ToolCallHandler } from "./call-types.ts";
import { RESOURCE_HANDLERS, unlessClientGone } from "./dispatch.ts";
import { fromFetch } from "./fetch.ts";
import { fromNode } from "./node.ts";
import type { UIConfig } from "./options.ts";
import { type Body, bodyFromHost, unreadableBody } from "./request/body.ts";
import { watchClient } from "./request/connection.ts";
import { type ApiRequest, splitTarget } from "./request/request.ts";
import { type Kind, ROUTES } from "./request/route.ts";
import { writeTemplate } from "./router/router.ts";
import type { ToolsProvider } from "./tool.ts";

/** A request in a framework's own form, with its body if it was read already. */
export interface ParsedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Text or bytes, which are checked exactly, or a parsed value, in which numbers are doubles. */
  readonly body?: unknown;
  /** Whether the body could not be parsed. */
  readonly bodyParseError?: boolean | undefined;
  /**
   * Aborted when the client leaves. Without it, the connection of Node's request is watched: of this one, or of its
   * `raw` (Fastify) or `req` (Koa).
   */
  readonly signal?: AbortSignal | undefined;
}

/** The input of a route handler: a `Request`, Node's request, or one with its body read already. */
export type RouteRequest = Request | IncomingMessage | ParsedRequest;

/** One route: the caller matches method and pattern, and decodes the parameters. */
export interface Route {
  readonly method: "GET" | "POST";
  /** A pattern such as `/tools/:name/validate`, without any prefix. */
  readonly pattern: string;
  /** Never rejects. */
  readonly handler: (
    request: RouteRequest,
    params?: Readonly<Record<string, string | undefined>>,
  ) => Promise<Response>;
}

const isFetch = (request: RouteRequest): request is Request =>
  "arrayBuffer" in request && typeof request.headers.get === "function";
const isNode = (request: RouteRequest): request is IncomingMessage =>
  "readableDidRead" in request && "iterator" in request;

function readGiven({ body, bodyParseError, headers }: ParsedRequest, limit: number): Body {
  if (bodyParseError === true) return unreadableBody("the body could not be parsed");
  return bodyFromHost(body === undefined ? new Uint8Array() : body, limit, headers);
}

function fromParsed(request: ParsedRequest, signal: AbortSignal): ApiRequest {
  const { method = "GET", url = "/", headers } = request;
  const incoming: IncomingRequest = { method, url, headers: { ...headers }, signal, raw: request };
  const target = splitTarget(url);
  return {
    method: method.toUpperCase(),
    ...target,
    clientPath: target.path,
    read: async (limit) => readGiven(request, limit),
    incoming,
  };
}

function read(request: IncomingMessage | ParsedRequest, signal: AbortSignal): ApiRequest {
  return isNode(request) ? fromNode(request, signal) : fromParsed(request, signal);
}

/** Runs work with the request as the API sees it, and with a signal that is watched until the work ends. */
async function reading(
  request: RouteRequest,
  work: (given: ApiRequest) => Promise<Response>,
): Promise<Response> {
  if (isFetch(request)) return work(fromFetch(request));
  if ("signal" in request && request.signal !== undefined) {
    return work(read(request, request.signal));
  }
  const { signal, end } = watchClient(request);
  try {
    return await work(read(request, signal));
  } finally {
    end();
  }
}

/**
 * Returns the tool API as a list of routes, for hosts that do their own routing. The caller matches the patterns in
 * this order and decodes `:name`, in which slashes come as `%2F`.
 *
 * @param tools the tools, or a function that is called for every request
 * @param handleCall runs a tool, on arguments that satisfy its input schema
 * @param options see {@link UIConfig}; the caller adds `prefix`
 * @throws OptionError for an invalid option
 */
export function buildUIRoutes(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  options?: UIConfig,
): Route[] {
  const api = createApi(tools, handleCall, options);
  return (Object.keys(ROUTES) as Kind[]).map((kind) => ({
    method: ROUTES[kind].method === "get" ? "GET" : "POST",
    pattern: writeTemplate(ROUTES[kind].path, (name) => `:${name}`),
    handler: (request, params) =>
      reading(request, (given) =>
        unlessClientGone(api, given, () =>
          RESOURCE_HANDLERS[kind](api, given, params?.["name"] ?? "", ""),
        ),
      ),
  }));
}
