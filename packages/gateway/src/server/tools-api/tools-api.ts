import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf, xmlText } from "@touchstone/core/advanced";
import type { ConsoleAssets, NodeHandler } from "@touchstone/http";
import { loadConsole } from "@touchstone/http/console";
import { type Logger, lateImport } from "@touchstone/util";
import { identityOf } from "../../relay/http/identity.ts";
import { isReadMethod, percentDecoded } from "../mcp-routes.ts";
import { pathList, plainResponse, prefersText } from "../responses.ts";
import { ServerHandlers, type ToolsApiParts } from "./server-handlers.ts";
import type { ToolsApiSettings } from "./settings.ts";

/** Node.js loads its `fetch` modules on first use, which blocks the event loop for about 30 ms. */
lateImport(async () => Response);

const SERVERS = "/servers/";
const ALL = "/tools";
/**
 * The path at which the console uses the tool API: its cookie is valid here, but not at the paths for other clients.
 */
export const CONSOLE_MOUNT = "/api/v1/tools-api";
const OF_SERVER = /^\/servers\/[^/]+\/tools(?:\/|$)/;

/**
 * The HTTP tool API for the gateway's servers: each at `/servers/{server}/`, all of them at `/tools` as
 * `server:tool`, and the console of the whole gateway at `/`; if it was not built, a page with the servers' names.
 * Calls go through the gateway's own endpoints. The app (`app.ts`) checks access.
 */
export class ToolsApi {
  readonly #log: Logger;
  readonly #handlers: ServerHandlers;
  #console: { readonly assets: ConsoleAssets | undefined } | undefined;

  constructor(parts: ToolsApiParts) {
    this.#log = parts.log;
    this.#handlers = new ServerHandlers(parts, () => this.#assets());
  }

  /** Applies other settings, from the next request on. */
  update(settings: ToolsApiSettings): void {
    this.#handlers.update(settings);
  }

  /**
   * Makes a server list its tools, so that its schemas are known.
   * @throws ServerCallError if it cannot be asked
   */
  learn(server: string): Promise<void> {
    return this.#handlers.learn(server);
  }

  /** Reads the files of the console. Otherwise the first request reads them. */
  loadConsole(): void {
    this.#assets();
  }

  /**
   * Whether the console was built. Its files contain nothing about any server: a browser must load them before a
   * person can enter a key.
   */
  get hasConsole(): boolean {
    return this.#assets() !== undefined;
  }

  /** Answers a GET of the console's page, or lists the names of the servers if there is no console. */
  page(request: IncomingMessage, response: ServerResponse): Promise<"sent"> | Response | undefined {
    if (!isReadMethod(request)) return undefined;
    if (this.hasConsole) return run(this.#handlers.all(identityOf(request)), request, response);
    return new Response(serversPage(this.#handlers.names(identityOf(request))), {
      headers: PAGE_HEADERS,
    });
  }

  /** Answers a read of the console's other files. */
  assets(request: IncomingMessage, response: ServerResponse): Promise<"sent"> | undefined {
    if (!isReadMethod(request) || !this.hasConsole) return undefined;
    return run(this.#handlers.all(identityOf(request)), request, response);
  }

  /** Answers for all tools, as `server:tool`. */
  listed(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<"sent"> | Response {
    if (path === ALL || path === `${ALL}/`)
      return run(this.#handlers.all(identityOf(request)), request, response);
    const name = percentDecoded(path.slice(ALL.length + 1)) ?? "";
    // A server's own name may contain a colon: the longest match counts.
    const identity = identityOf(request);
    const server = this.#handlers
      .names(identity)
      .filter((candidate) => name.startsWith(`${candidate}:`))
      .reduce((best, candidate) => (candidate.length > best.length ? candidate : best), "");
    const { listed = this.#handlers.none() } = this.#handlers.of(server, identity) ?? {};
    return run(listed, request, response);
  }

  /** Answers for one server. */
  ofServer(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<"sent"> | Response | undefined {
    if (!path.startsWith(SERVERS)) return undefined;
    const [segment = ""] = path.slice(SERVERS.length).split("/", 1);
    const identity = identityOf(request);
    const handlers = this.#handlers.of(percentDecoded(segment) ?? "", identity);
    if (handlers === undefined) {
      return unknownServer(request, segment, this.#handlers.names(identity));
    }
    return run(handlers.own, below(request, SERVERS.length + segment.length), response);
  }

  /**
   * Answers requests of the console, which has no key: the paths below {@link CONSOLE_MOUNT} have the tools of all
   * servers and of each, but no pages.
   */
  forConsole(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<"sent"> | Response | undefined {
    const rest = path.slice(CONSOLE_MOUNT.length);
    if (rest === ALL || rest.startsWith(`${ALL}/`)) {
      return this.listed(below(request, CONSOLE_MOUNT.length), response, rest);
    }
    return OF_SERVER.test(rest)
      ? this.ofServer(below(request, CONSOLE_MOUNT.length), response, rest)
      : undefined;
  }

  #assets(): ConsoleAssets | undefined {
    this.#console ??= { assets: readConsole(this.#log) };
    return this.#console.assets;
  }
}

/** Returns the built files of the console; undefined if it was not built, or cannot be served. */
function readConsole(log: Logger): ConsoleAssets | undefined {
  try {
    return loadConsole();
  } catch (error) {
    const reason = messageOf(error);
    log.warn("the console cannot be served, so its page is a plain list", { reason });
    return undefined;
  }
}

/** Removes the path below which a handler is mounted from the request's target, as frameworks do. */
function below(request: IncomingMessage, length: number): IncomingMessage {
  const target = request.url ?? "/";
  const rest = target.slice(length);
  const url = rest.startsWith("/") ? rest : `/${rest}`;
  const { originalUrl = target } = request as { originalUrl?: string };
  return Object.assign(request, { originalUrl, url });
}

/** Resolves when the response has been sent, or the client is gone. */
function run(
  handler: NodeHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<"sent"> {
  return new Promise((resolve) => {
    response.once("close", () => resolve("sent"));
    handler(request, response);
  });
}

/** Returns the response for a path of an unknown server. */
function unknownServer(
  request: IncomingMessage,
  segment: string,
  names: readonly string[],
): Response {
  const known = names.length === 0 ? "none" : names.join(", ");
  const unknown = `No server is named ${JSON.stringify(percentDecoded(segment) ?? segment)}.`;
  if (!isReadMethod(request) || !prefersText(request)) {
    return plainResponse(404, { error: `${unknown} Servers: ${known}` });
  }
  const tools = names.map((name) => ["tools", `${SERVERS}${encodeURIComponent(name)}/`] as const);
  return pathList(`${unknown} These paths are:`, [["console", "/"], ...tools]);
}

/** The headers of {@link serversPage}, which has no scripts and nothing from other sites. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Returns a page with links to the console of each server. The links work behind a proxy's own path. */
function serversPage(servers: Iterable<string>): string {
  const items = [...servers].map((name) => {
    const href = `./servers/${encodeURIComponent(name)}/`;
    return `<li><a href="${xmlText(href)}">${xmlText(name)}</a></li>`;
  });
  const list =
    items.length === 0 ? "<p>No server is configured.</p>" : `<ul>${items.join("")}</ul>`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Touchstone</title><link rel="icon" href="data:,"></head>
<body><h1>Servers</h1>${list}</body>
</html>
`;
}
