import type { IncomingMessage, ServerResponse } from "node:http";
import { type Found, methodsOf, Router } from "@touchstone/http/router";
import type { Logger } from "@touchstone/util";
import { identityOf } from "../relay/http/identity.ts";
import { BodyRefusedError } from "../transport/http/unfinished-bodies.ts";
import { type AccessRefusal, admitRequest } from "./access/access.ts";
import { mayReach, requireRole } from "./access/roles.ts";
import { AdminError } from "./admin/errors.ts";
import { needsRole } from "./api/operation.ts";
import {
  type App,
  isReadMethod,
  MCP_PATH,
  pathOf,
  percentDecoded,
  type RouteOptions,
  refuseRequest,
  refuseWhileStopping,
  sendRefusal,
} from "./mcp-routes.ts";
import {
  apiResponse,
  pathList,
  prefersText,
  sendResponse,
  shownPath,
  thrownErrorResponse,
} from "./responses.ts";
import type { Api, Mount, OperationInput, Route } from "./route.ts";
import { MOUNTS, ROUTES } from "./routes.ts";
import { readJson, readQuery } from "./validate.ts";

const API = "/api/v1/";

export { openSignIn } from "./sign-in/open.ts";

/** A request, and the decisions about it. */
interface Asked {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The path of the target as the client sent it, without the query. */
  readonly path: string;
  readonly options: RouteOptions;
  readonly refusal: AccessRefusal | undefined;
}

/** The routes and mounts at a path. */
interface PathMatch {
  readonly found: Found<Route> | undefined;
  /** In the order in which they are tried, if no route has the path. */
  readonly mounts: readonly Mount[];
}

const ROUTER: Router<Route> = new Router(ROUTES);

function placeOf({ method = "GET" }: IncomingMessage, path: string): PathMatch {
  // A target of another form, such as that of `OPTIONS *`, is a path without a route.
  if (!path.startsWith("/")) return { found: undefined, mounts: [] };
  const found = ROUTER.find(method, path);
  return { found, mounts: found === undefined ? MOUNTS.filter(covers(path)) : [] };
}

const covers =
  (path: string) =>
  ({ mount }: Mount): boolean => {
    if (!mount.endsWith("/*")) return path === mount;
    const above = mount.slice(0, -2);
    return path === above || path.startsWith(`${above}/`);
  };

/** Answers everything except MCP: the table of routes, after the rules of access. */
export function createApp(api: Api, log: Logger): App {
  return async (incoming, outgoing, options) => {
    const path = pathOf(incoming);
    // The console's cookie is only valid for the API.
    const sessions = path.startsWith(API) ? api.sessions : undefined;
    const { answered, refusal } = await admitRequest(incoming, outgoing, options.access, sessions);
    // A client that disconnects while its token is verified closes its response only once.
    if (answered || outgoing.closed) return;
    const asked: Asked = { incoming, outgoing, path, options, refusal };
    const place = placeOf(incoming, asked.path);
    if (isRefused(api, place, asked)) return;
    const response = await answerAt(api, place, asked, log);
    if (response === "sent" || outgoing.headersSent || outgoing.destroyed) return;
    // The rest of a body is read and dropped, so that the client can read the response.
    incoming.resume();
    const isHead = incoming.method === "HEAD";
    if (isHead) await response.body?.cancel();
    await sendResponse(isHead ? new Response(null, response) : response, outgoing);
  };
}

/** Returns whether a request was refused: this client may not send it, or the gateway is stopping. */
function isRefused(api: Api, place: PathMatch, asked: Asked): boolean {
  const { incoming, outgoing, path, options, refusal } = asked;
  const isProbe = place.found?.routes[0].access === "anyone";
  if (isProbe) return false;
  if (refusal !== undefined && !(isWaived(refusal) && isOpen(place, api, asked))) {
    options.turnedAway?.({ request: incoming, path, server: undefined, refusal });
    refuseRequest(incoming, outgoing, path, refusal, options.access);
    return true;
  }
  if (options.leaving === undefined || isReadMethod(incoming)) return false;
  refuseWhileStopping(outgoing, path, options.leaving);
  return true;
}

/** Returns whether a refusal is about the key, which a place that is open to everybody does not need. */
function isWaived({ status, code }: AccessRefusal): boolean {
  return status !== 403 && code !== "SESSION_UNREADABLE";
}

/** Returns whether a place needs no key. */
function isOpen(
  { found, mounts: [mount] }: PathMatch,
  api: Api,
  { incoming, path }: Asked,
): boolean {
  if (found !== undefined) return found.route?.access === "own secret";
  return mount?.isOpen?.(api, incoming, path) === true;
}

async function answerAt(
  api: Api,
  { found, mounts }: PathMatch,
  asked: Asked,
  log: Logger,
): Promise<Response | "sent"> {
  const { incoming, outgoing, path } = asked;
  if (found !== undefined) {
    const [first] = found.routes;
    // Probes get a response to every method.
    const route = found.route ?? (first.access === "anyone" ? first : undefined);
    return route === undefined
      ? refusedMethod(incoming, found.routes, log)
      : answerBy(api, route, found.names, asked, log);
  }
  for (const mount of mounts) {
    const answer = await mount.answer(api, incoming, outgoing, path);
    if (answer !== undefined) return answer;
  }
  return nothingAt(asked, log);
}

/** Runs the handler of a route and sends its response. */
async function answerBy(
  api: Api,
  route: Route,
  names: Found<Route>["names"],
  asked: Asked,
  log: Logger,
): Promise<Response> {
  const { incoming } = asked;
  try {
    if (needsRole(route.access)) requireRole(identityOf(incoming), route.access);
    const answer = await route.answer(api, givenTo(route, names, asked));
    return answer instanceof Response ? answer : apiResponse(200, answer);
  } catch (error) {
    // The listener responds.
    if (error instanceof BodyRefusedError) throw error;
    // A client that leaves in the middle of its body is not a failure of the route.
    if (incoming.destroyed && !incoming.complete) throw error;
    return thrownErrorResponse(error, log);
  }
}

function givenTo(
  { query, body, read, invalid }: Route,
  names: Found<Route>["names"],
  { incoming, outgoing, path, refusal, options }: Asked,
): OperationInput {
  if (percentDecoded(path) === undefined) throw nothingHere();
  const { url = "" } = incoming;
  return {
    path: Object.fromEntries(
      Object.entries(names).map(([name, text]) => [name, decodeURIComponent(text)]),
    ),
    query: query === undefined ? {} : readQuery(url.slice(path.length), query),
    headers: incoming.headers,
    identity: identityOf(incoming),
    address: incoming.socket.remoteAddress,
    // Creating and aborting a signal costs as much as the rest of a small response, so it is created on first use.
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

/** Answers a request with a method that no route of its path has. */
function refusedMethod(
  { method }: IncomingMessage,
  routes: readonly Route[],
  log: Logger,
): Response {
  const allow = methodsOf(routes).join(", ");
  const message = `${method} is not allowed here; use ${allow}.`;
  return thrownErrorResponse(
    new AdminError("METHOD_NOT_ALLOWED", message, { headers: { allow } }),
    log,
  );
}

const nothingHere = (): AdminError =>
  new AdminError("NOT_FOUND", "There is nothing at this address.");

/** The prefixes of the API's own paths. */
const FAMILIES: ReadonlySet<string> = new Set(
  ROUTES.filter(({ path }) => path.startsWith(API)).map(({ path }) => familyOf(path)),
);

function familyOf(path: string): string {
  return path.slice(API.length).split("/", 1)[0] ?? "";
}

/** Returns a response that lists the existing paths, for people or in the form of the requested API. */
function nothingAt({ incoming, outgoing, path, options }: Asked, log: Logger): Response | "sent" {
  if (path.startsWith(API) && FAMILIES.has(familyOf(path)))
    return thrownErrorResponse(nothingHere(), log);
  const identity = identityOf(incoming);
  const names = [...options.endpoints.keys()].filter((name) => mayReach(identity, name));
  const servers = names.map((name) => MCP_PATH + encodeURIComponent(name));
  if (isReadMethod(incoming) && prefersText(incoming)) {
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
  sendRefusal(outgoing, path, { status: 404, code: "NOT_FOUND", message });
  return "sent";
}
