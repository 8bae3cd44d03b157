import type { IncomingMessage, ServerResponse } from "node:http";
import type { ConsoleAssets } from "@touchstone/http";
import { decoded, isRead } from "../../transport/http/routes.ts";
import type { Logger } from "../../util/log.ts";
import { readConsole } from "./console.ts";
import { mount, run, sendPage, sendUnknown } from "./mounting.ts";
import { ServerHandlers, type ToolsApiParts } from "./server-handlers.ts";
import type { ToolsApiSettings } from "./settings.ts";

const ASSETS = "/assets/";
const SERVERS = "/servers/";
const ALL = "/tools";

/**
 * The HTTP tool API over the gateway's servers: each at `/servers/{server}/`, all of them at
 * `/tools` as `server:tool`, and the console of the whole gateway at `/`; where it was not built, a
 * page with the servers' names. Calls go through the gateway's own endpoints. Access is for the
 * listener to decide.
 */
export class ToolsApi {
  readonly #log: Logger;
  readonly #handlers: ServerHandlers;
  #console: { readonly assets: ConsoleAssets | undefined } | undefined;

  constructor(parts: ToolsApiParts) {
    this.#log = parts.log;
    this.#handlers = new ServerHandlers(parts, () => this.#assets());
  }

  /** Takes other settings, from the next request on. */
  update(settings: ToolsApiSettings): void {
    this.#handlers.update(settings);
  }

  /**
   * Whether a path leads to the console's own files, which hold nothing of any server: a browser has to
   * get them before anybody can give it a key.
   */
  isOpen(path: string): boolean {
    return (path === "/" || path.startsWith(ASSETS)) && this.#assets() !== undefined;
  }

  /**
   * Answers a request, where its path is one of the API's.
   * @param path of the request's target, percent-encoded, without the query
   * @returns undefined for another path; else it resolves when the answer has been sent or left
   */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> | undefined {
    if (isRead(request) && this.isOpen(path)) return run(this.#handlers.all(), request, response);
    if (path === "/" && isRead(request)) return sendPage(request, response, this.#handlers.names());
    if (path === ALL || path === `${ALL}/`) return run(this.#handlers.all(), request, response);
    if (path.startsWith(`${ALL}/`)) {
      const name = decoded(path.slice(ALL.length + 1)) ?? "";
      // A server's own name may hold a colon: the longest one that fits counts.
      const server = this.#handlers
        .names()
        .filter((candidate) => name.startsWith(`${candidate}:`))
        .reduce((best, candidate) => (candidate.length > best.length ? candidate : best), "");
      const { listed = this.#handlers.none() } = this.#handlers.of(server) ?? {};
      return run(listed, request, response);
    }
    if (!path.startsWith(SERVERS)) return undefined;
    const [segment = ""] = path.slice(SERVERS.length).split("/", 1);
    const handlers = this.#handlers.of(decoded(segment) ?? "");
    if (handlers === undefined) {
      return sendUnknown(request, response, segment, this.#handlers.names(), SERVERS);
    }
    mount(request, SERVERS.length + segment.length);
    return run(handlers.own, request, response);
  }

  #assets(): ConsoleAssets | undefined {
    this.#console ??= { assets: readConsole(this.#log) };
    return this.#console.assets;
  }
}
