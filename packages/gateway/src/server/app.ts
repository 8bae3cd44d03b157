import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, Handler, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { Hono } from "hono/tiny";
import type { Role } from "../settings/schema.ts";
import { admit, type Refusal } from "../transport/http/access.ts";
import { identityOf, mayReach } from "../transport/http/identity.ts";
import {
  type App,
  decoded,
  isRead,
  MCP_PATH,
  pathOf,
  type RouteOptions,
  refuse,
  refuseToStart,
  turnAway,
} from "../transport/http/routes.ts";
import { BodyRefusedError } from "../transport/http/unfinished-bodies.ts";
import type { Logger } from "../util/log.ts";
import { AdminError } from "./admin/errors.ts";
import type { Access } from "./api/operation.ts";
import {
  apiResponse,
  failure,
  pathList,
  prefersText,
  sendResponse,
  shownPath,
} from "./responses.ts";
import { requireRole } from "./roles.ts";
import type { Api, Given, Mount, Route } from "./route.ts";
import { MOUNTS, ROUTES } from "./routes.ts";
import { readJson, readQuery } from "./validate.ts";

/**
 * What handlers get of a request: Node's own object, because a Fetch `Request` cannot have every method and target.
 */
interface Asked {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The path of the target as the client sent it, without the query. */
  readonly path: string;
  readonly options: RouteOptions;
  readonly refusal: Refusal | undefined;
}
type Env = { readonly Bindings: Asked };

/** The members of a `Request` that Hono reads. */
const requestOf = ({ method = "GET" }: IncomingMessage): Request =>
  ({ method, url: "http://gateway/", headers: new Headers() }) as Request;

/** Returned by a handler that has written the response itself. */
const sent = (): Response => new Response(null);

/** Answers everything except MCP: the table of routes, after the rules of access. */
export function createApp(api: Api, log: Logger): App {
  // A target of another form, such as that of `OPTIONS *`, is a path without a route.
  const getPath = (_: Request, { env }: { readonly env?: Asked } = {}): string =>
    env?.path.startsWith("/") ? env.path : "/*";
  const app = new Hono<Env>({ getPath });
  const rows = new Map<unknown, Route | Mount>();
  app.use(enter(api, rows));
  for (const path of new Set(ROUTES.map((row) => row.path))) {
    const here = ROUTES.filter((row) => row.path === path);
    const pattern = path.replace(/\{(\w+)\}/g, ":$1");
    for (const row of here) {
      const handler = answering(api, row, log);
      rows.set(handler, row);
      app.on(row.access === "anyone" ? "ALL" : row.method.toUpperCase(), pattern, handler);
    }
    app.all(pattern, refusingMethod(here, log));
  }
  for (const row of MOUNTS) {
    const handler = mounting(api, row);
    rows.set(handler, row);
    app.all(row.mount, handler);
  }
  app.notFound((c) => nothingAt(c, log));
  // The listener logs it, and ends the response.
  app.onError((error) => {
    throw error;
  });
  return async (incoming, outgoing, options) => {
    const { answered, refusal } = await admit(incoming, outgoing, options.access);
    // A client that leaves while its token is verified closes its response only once.
    if (answered || outgoing.closed) return;
    const asked: Asked = { incoming, outgoing, path: pathOf(incoming), options, refusal };
    const response = await app.fetch(requestOf(incoming), asked);
    if (outgoing.headersSent || outgoing.destroyed) return;
    // The rest of a body is read and dropped, so that the client gets to read the response.
    incoming.resume();
    await sendResponse(response, outgoing);
  };
}

/** Refuses requests that this client may not send, or that come too late. */
function enter(api: Api, rows: ReadonlyMap<unknown, Route | Mount>): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { incoming, outgoing, path, options, refusal } = c.env;
    const [row] = matchedRoutes(c).flatMap(({ handler }) => rows.get(handler) ?? []);
    const isProbe = row !== undefined && "id" in row && row.access === "anyone";
    if (refusal !== undefined && !isProbe && !(refusal.status !== 403 && isOpen(row, api, c.env))) {
      options.turnedAway?.({ request: incoming, path, server: undefined, refusal });
      refuse(incoming, outgoing, path, refusal, options.access);
      return sent();
    }
    if (options.leaving !== undefined && !isRead(incoming) && !isProbe) {
      refuseToStart(outgoing, path, options.leaving);
      return sent();
    }
    return next();
  };
}

/** Returns whether a row needs no key. */
function isOpen(row: Route | Mount | undefined, api: Api, { incoming, path }: Asked): boolean {
  if (row === undefined) return false;
  if ("id" in row) return row.access === "own secret";
  return row.isOpen?.(api, incoming, path) === true;
}

/** Lets a row answer. */
function answering(api: Api, row: Route, log: Logger): Handler<Env> {
  return async (c) => {
    const { incoming } = c.env;
    try {
      if (isRole(row.access)) requireRole(identityOf(incoming), row.access);
      const answer = await row.answer(api, givenTo(row, c));
      const response = answer instanceof Response ? answer : apiResponse(200, answer);
      if (incoming.method === "HEAD") await response.body?.cancel();
      return response;
    } catch (error) {
      // The listener responds.
      if (error instanceof BodyRefusedError) throw error;
      // A client that leaves in the middle of its body is not a failure of the row.
      if (incoming.destroyed && !incoming.complete) throw error;
      return failure(error, log);
    }
  };
}

const isRole = (access: Access): access is Role => access !== "anyone" && access !== "own secret";

function givenTo({ query, body, read, invalid }: Route, c: Context<Env>): Given {
  const { incoming, outgoing, path, refusal, options } = c.env;
  if (decoded(path) === undefined) throw nothingHere();
  const { url = "" } = incoming;
  return {
    path: c.req.param(),
    query: query === undefined ? {} : readQuery(url.slice(path.length), query),
    headers: incoming.headers,
    identity: identityOf(incoming),
    address: incoming.socket.remoteAddress,
    // Making and aborting one costs as much as the rest of a small response.
    get signal() {
      const left = new AbortController();
      if (outgoing.closed) left.abort();
      else outgoing.once("close", () => left.abort());
      return left.signal;
    },
    refused: refusal !== undefined,
    body: () => {
      if (body === undefined) throw new Error("this route declares no body");
      return readJson(incoming, body, options.bodies, { read, invalid });
    },
  };
}

/** Answers requests with methods that the rows of a path do not have. */
function refusingMethod(here: readonly Route[], log: Logger): Handler<Env> {
  const allow = here
    .map(({ method }) => (method === "get" ? "GET, HEAD" : method.toUpperCase()))
    .join(", ");
  return ({ env: { incoming } }) => {
    const message = `${incoming.method} is not allowed here; use ${allow}.`;
    return failure(new AdminError("METHOD_NOT_ALLOWED", message, { headers: { allow } }), log);
  };
}

function mounting(api: Api, row: Mount): Handler<Env> {
  return async ({ env: { incoming, outgoing, path } }, next) => {
    const answer = await row.answer(api, incoming, outgoing, path);
    if (answer === undefined) return next();
    return answer === "sent" ? sent() : answer;
  };
}

const nothingHere = (): AdminError =>
  new AdminError("NOT_FOUND", "There is nothing at this address.");

const API = "/api/v1/";
/** The prefixes of the API's own paths. */
const FAMILIES: ReadonlySet<string> = new Set(
  ROUTES.filter(({ path }) => path.startsWith(API)).map(({ path }) => familyOf(path)),
);

function familyOf(path: string): string {
  return path.slice(API.length).split("/", 1)[0] ?? "";
}

/** Lists the existing paths, for people or in the form of the requested API. */
function nothingAt({ env }: Context<Env>, log: Logger): Response {
  const { incoming, outgoing, path, options } = env;
  if (path.startsWith(API) && FAMILIES.has(familyOf(path))) return failure(nothingHere(), log);
  const identity = identityOf(incoming);
  const names = [...options.endpoints.keys()].filter((name) => mayReach(identity, name));
  const servers = names.map((name) => MCP_PATH + encodeURIComponent(name));
  if (isRead(incoming) && prefersText(incoming)) {
    return pathList(`Nothing is served at ${shownPath(path)}. These paths are:`, [
      ["console", "/"],
      ...servers.map((server) => ["MCP server", server] as const),
      ["API", "/api/v1/activity"],
      ["API", "/metrics"],
      ["health", "/healthz"],
      ["readiness", "/readyz"],
    ]);
  }
  const message = `Nothing is served at this path. Servers: ${servers.join(", ")}`;
  turnAway(outgoing, path, { status: 404, code: "NOT_FOUND", message });
  return sent();
}
