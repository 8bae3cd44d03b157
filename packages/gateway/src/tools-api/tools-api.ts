import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type ConsoleAssets,
  createNodeHandler,
  type Fault,
  type NodeHandler,
  type RefusedCall,
  type UIConfig,
} from "@touchstone/http";
import type { ActivityEntry } from "../activity/record.ts";
import type { Logger } from "../log.ts";
import { orAfter } from "../or-after.ts";
import type { Endpoint } from "../relay/http/endpoint.ts";
import { readConsole } from "./console.ts";
import { loopback, type OwnAddress } from "./loopback.ts";
import { decoded, isRead, mount, run, sendPage, sendUnknown } from "./mounting.ts";
import { refusedEntries } from "./refused-call.ts";
import { ServerTools } from "./server-tools.ts";
import type { ToolsApiSettings } from "./settings.ts";
import type { ListedTool } from "./tool-list.ts";

export interface ToolsApiParts {
  /** What is served at `/mcp/{server}` at the moment. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Where the gateway itself can be reached; asked for every message. */
  readonly address: () => OwnAddress;
  readonly settings: ToolsApiSettings;
  /** Hash of a tool's input schema as its server wrote it, where it is known. */
  readonly schemaHash: (server: string, tool: string) => string | undefined;
  /** Keeps records; resolves when they are durable. */
  readonly record: (entries: readonly ActivityEntry[]) => Promise<unknown>;
  readonly log: Logger;
}

const ASSETS = "/assets/";
const SERVERS = "/servers/";
const ALL = "/tools";
/** How long the one list of all servers waits for one of them. */
const PART_MS = 3_000;

/** The handlers of one server: its own API, and its part of the one list of all servers. */
interface Handlers {
  readonly own: NodeHandler;
  readonly listed: NodeHandler;
}

/**
 * The HTTP tool API over the gateway's servers: each at `/servers/{server}/`, all of them at
 * `/tools` as `server:tool`, and the console of the whole gateway at `/`; where it was not built, a
 * page with the servers' names. Calls go through the gateway's own endpoints. Access is for the
 * listener to decide.
 */
export class ToolsApi {
  readonly #parts: ToolsApiParts;
  #settings: ToolsApiSettings;
  #console: { readonly assets: ConsoleAssets | undefined } | undefined;
  /** By endpoint, so that a server that was changed is asked anew. */
  readonly #tools: WeakMap<Endpoint, ServerTools> = new WeakMap();
  #handlers: WeakMap<Endpoint, Handlers> = new WeakMap();
  #everything: NodeHandler | undefined;

  constructor(parts: ToolsApiParts) {
    this.#parts = parts;
    this.#settings = parts.settings;
  }

  /** Takes other settings, from the next request on. */
  update(settings: ToolsApiSettings): void {
    this.#settings = settings;
    this.#handlers = new WeakMap();
    this.#everything = undefined;
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
    if (isRead(request) && this.isOpen(path)) return run(this.#all(), request, response);
    if (path === "/" && isRead(request)) return sendPage(request, response, this.#names());
    if (path === ALL || path === `${ALL}/`) return run(this.#all(), request, response);
    if (path.startsWith(`${ALL}/`)) {
      const name = decoded(path.slice(ALL.length + 1)) ?? "";
      // A server's own name may hold a colon: the longest one that fits counts.
      const server = this.#names()
        .filter((candidate) => name.startsWith(`${candidate}:`))
        .reduce((best, candidate) => (candidate.length > best.length ? candidate : best), "");
      const { listed = this.#all([]) } = this.#of(server) ?? {};
      return run(listed, request, response);
    }
    if (!path.startsWith(SERVERS)) return undefined;
    const [segment = ""] = path.slice(SERVERS.length).split("/", 1);
    const handlers = this.#of(decoded(segment) ?? "");
    if (handlers === undefined) return sendUnknown(response, segment, this.#names());
    mount(request, SERVERS.length + segment.length);
    return run(handlers.own, request, response);
  }

  #names(): readonly string[] {
    return [...this.#parts.endpoints.keys()];
  }

  #of(server: string): Handlers | undefined {
    const endpoint = this.#parts.endpoints.get(server);
    if (endpoint === undefined) return undefined;
    const handlers = this.#handlers.get(endpoint) ?? this.#make(server, endpoint);
    this.#handlers.set(endpoint, handlers);
    return handlers;
  }

  #toolsOf(server: string, endpoint: Endpoint): ServerTools {
    const { address, log } = this.#parts;
    const tools =
      this.#tools.get(endpoint) ??
      new ServerTools({
        server,
        post: loopback(server, address),
        maxBytes: this.#settings.maxAnswerBytes,
        log,
      });
    this.#tools.set(endpoint, tools);
    return tools;
  }

  #make(server: string, endpoint: Endpoint): Handlers {
    const tools = this.#toolsOf(server, endpoint);
    const options = this.#options(server);
    const inList = (name: string): string => name.slice(server.length + 1);
    return {
      own: createNodeHandler(() => tools.list(), tools.call, {
        ...options,
        gateway: "../../",
        onRefused: (call) => this.#refused(server, call.tool, call),
      }),
      listed: createNodeHandler(
        () => listedAs(tools),
        (name, args, request) => tools.call(inList(name), args, request),
        { ...options, onRefused: (call) => this.#refused(server, inList(call.tool), call) },
      ),
    };
  }

  /** The handler of `GET /tools`; over no servers, of names that no server has. */
  #all(servers: readonly string[] | undefined = undefined): NodeHandler {
    if (servers === undefined && this.#everything !== undefined) return this.#everything;
    const list = async (): Promise<readonly ListedTool[]> => {
      const lists = (servers ?? this.#names()).map((server) => this.#part(server));
      return (await Promise.all(lists)).flat();
    };
    const call = (): never => {
      throw new Error("no server has this tool");
    };
    const options = { ...this.#options("Touchstone"), gateway: "./" };
    const handler = createNodeHandler(list, call, options);
    if (servers === undefined) this.#everything = handler;
    return handler;
  }

  /** A server's part of the one list; without the tools of one that cannot be asked. */
  async #part(server: string): Promise<readonly ListedTool[]> {
    const endpoint = this.#parts.endpoints.get(server);
    if (endpoint === undefined) return [];
    try {
      const list = listedAs(this.#toolsOf(server, endpoint));
      return await orAfter(PART_MS, list, () => {
        throw new Error(`it did not answer within ${PART_MS / 1000} s, and is asked on`);
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.log.warn("the tools of a server are missing in /tools", { server, reason });
      return [];
    }
  }

  #options(server: string): UIConfig {
    const { allowExecute, maxBodyBytes } = this.#settings;
    return {
      allowExecute,
      maxBodyBytes,
      title: server,
      projectName: "Touchstone",
      console: this.#assets(),
      onFault: (fault) => this.#tell(server, fault),
    };
  }

  async #refused(server: string, tool: string, call: RefusedCall): Promise<void> {
    const { schemaHash, record } = this.#parts;
    const of = { server, tool, schemaHash: schemaHash(server, tool) };
    await record(refusedEntries(call, of, new Date()));
  }

  #tell(server: string, { code, message, tool, cause }: Fault): void {
    const reason = cause instanceof Error ? cause.message : undefined;
    this.#parts.log.warn(`tool API: ${message}`, {
      server,
      code,
      ...(tool === undefined ? {} : { tool }),
      ...(reason === undefined ? {} : { reason }),
    });
  }

  #assets(): ConsoleAssets | undefined {
    this.#console ??= { assets: readConsole(this.#parts.log) };
    return this.#console.assets;
  }
}

async function listedAs(tools: ServerTools): Promise<readonly ListedTool[]> {
  const list = await tools.list();
  return list.map((tool) => ({ ...tool, name: `${tools.server}:${tool.name}` }));
}
