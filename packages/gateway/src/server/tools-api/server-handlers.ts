import type { IncomingMessage } from "node:http";
import { messageOf } from "@touchstone/core/advanced";
import type {
  CallToJudge,
  ConsoleAssets,
  createNodeHandler,
  Fault,
  HostJudgement,
  NodeHandler,
  RefusedCall,
  Rejection,
  UIConfig,
} from "@touchstone/http";
import { BoundedMap, type Logger, lateImport, PacedLog, valueOrTimeout } from "@touchstone/util";
import type { Caller } from "../../features/caller.ts";
import type { NamedTool } from "../../features/tool-lists/decide.ts";
import type { Endpoint } from "../../relay/http/endpoint.ts";
import { type Identity, OPEN_IDENTITY } from "../../relay/http/identity.ts";
import type { IncomingCall, RefusedArgumentsOutcome } from "../../relay/server-runtime.ts";
import { BodyTooLargeError, readCountedBody } from "../../transport/http/body.ts";
import { BodyRefusedError, type UnfinishedBodies } from "../../transport/http/unfinished-bodies.ts";
import { mayReach } from "../access/roles.ts";
import { plainResponse } from "../responses.ts";
import { CLIENT_INFO } from "./connection.ts";
import type { EndpointPoster } from "./endpoint-poster.ts";
import { ServerTools } from "./server-tools.ts";
import type { ToolsApiSettings } from "./settings.ts";
import type { ListedTool } from "./tool-list.ts";

/** How long the combined list of all servers waits for one of them. */
const PART_MS = 3_000;
/**
 * How long a server's list may take. Each request for it times out earlier, with a reason; this limit ends a list
 * that has no end.
 */
const LIST_MS = 120_000;
/** The client in records of calls. */
const CLIENT = `${CLIENT_INFO.name}/${CLIENT_INFO.version}`;
/** The description of a tool if only its name is known. */
const KEPT = "From an earlier run: the server has not listed its tools since the gateway started.";

/** A refused call, by the tool's name as its server lists it. */
export type RefusedServerCall = Pick<RefusedCall, "body" | "check" | "text" | "tool"> & {
  readonly client: string;
  readonly caller: string | undefined;
};

export interface ToolsApiParts {
  /** The current endpoints at `/mcp/{server}`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Posts to them. */
  readonly posts: EndpointPoster;
  readonly settings: ToolsApiSettings;
  /** Counts the bodies of requests until they have arrived completely. */
  readonly bodies: UnfinishedBodies;
  /** Returns the names of a server's kept tools, from this start or earlier ones. */
  readonly keptTools: (server: string) => Promise<ReadonlySet<string>>;
  /** Returns whether policy allows a caller to use a server's tool. */
  readonly allows: (server: string, tool: NamedTool, caller: Caller | undefined) => boolean;
  /** Decides about the arguments of a call by `strict`, without sending or recording it. */
  readonly judge: (
    server: string,
    call: CallToJudge,
    caller: Caller | undefined,
  ) => Promise<HostJudgement>;
  /** Returns why a server's tool is held back, and how to approve it; undefined if it is not held back. */
  readonly whyHeld: (
    server: string,
    tool: string,
    caller: Caller | undefined,
  ) => string | undefined;
  /** Counts a call; if it is over a limit, resolves to the response for the client once its records are durable. */
  readonly admit: (
    server: string,
    call: IncomingCall,
  ) => Promise<RefusedArgumentsOutcome | undefined>;
  /** Settles a call whose arguments were refused; resolves to the text for the client once its records are durable. */
  readonly refused: (server: string, call: RefusedServerCall) => Promise<string | undefined>;
  readonly log: Logger;
}

/** The handlers of one server: its own API, and its part of the combined list. */
export interface HandlerPair {
  readonly own: NodeHandler;
  readonly listed: NodeHandler;
}

/** The state that requests of one caller to one server share. */
interface Own {
  readonly tools: ServerTools;
  /** Created on first use, and again if the settings change. */
  handlers: HandlerPair | undefined;
}

/** How many callers of one server to keep lists and sessions for; the oldest are dropped first. */
const MAX_CALLERS = 100;

/** Returns a key that is equal for clients that see the same tools and have the same name in records. */
function kindOf({ caller, servers, audience }: Identity): string {
  if (caller === undefined && servers === undefined && audience === undefined) return "";
  const names = [servers, audience].map((set) => set && [...set].toSorted());
  return JSON.stringify([caller, ...names]);
}

/** The handlers for each of the gateway's servers and for all of them, made on first use. */
export class ServerHandlers {
  readonly #parts: ToolsApiParts;
  readonly #paced: PacedLog;
  readonly #assets: () => ConsoleAssets | undefined;
  #settings: ToolsApiSettings;
  /** By endpoint, so that a changed server is read again, and by caller. */
  readonly #own: WeakMap<Endpoint, BoundedMap<string, Own>> = new WeakMap();
  #everything: BoundedMap<string, NodeHandler> = new BoundedMap(MAX_CALLERS);

  /** @param assets the console's files, if it was built */
  constructor(parts: ToolsApiParts, assets: () => ConsoleAssets | undefined) {
    this.#parts = parts;
    this.#paced = new PacedLog(parts.log);
    this.#assets = assets;
    this.#settings = parts.settings;
  }

  /** Applies other settings, from the next request on. */
  update(settings: ToolsApiSettings): void {
    this.#settings = settings;
    for (const endpoint of this.#parts.endpoints.values()) {
      for (const own of this.#own.get(endpoint)?.values() ?? []) own.handlers = undefined;
    }
    this.#everything = new BoundedMap(MAX_CALLERS);
  }

  /** The names of the servers that a client may reach. */
  names(identity: Identity): readonly string[] {
    return [...this.#parts.endpoints.keys()].filter((name) => mayReach(identity, name));
  }

  /** The handlers of a server, for a client; undefined if the client may use no server of that name. */
  of(server: string, identity: Identity): HandlerPair | undefined {
    const endpoint = this.#parts.endpoints.get(server);
    if (endpoint === undefined || !mayReach(identity, server)) return undefined;
    const own = this.#ownOf(server, endpoint, identity);
    own.handlers ??= this.#make(server, own.tools, identity);
    return own.handlers;
  }

  /**
   * Makes a server list its tools, so that its schemas are known.
   * @throws ServerCallError if it cannot be asked
   */
  async learn(server: string): Promise<void> {
    const endpoint = this.#parts.endpoints.get(server);
    if (endpoint !== undefined) await this.#ownOf(server, endpoint, OPEN_IDENTITY).tools.list();
  }

  #ownOf(server: string, endpoint: Endpoint, identity: Identity): Own {
    const kind = kindOf(identity);
    const kept = this.#own.get(endpoint) ?? new BoundedMap<string, Own>(MAX_CALLERS);
    this.#own.set(endpoint, kept);
    const own = kept.get(kind) ?? this.#makeOwn(server, endpoint, identity);
    void kept.set(kind, own)?.tools.leave();
    return own;
  }

  #makeOwn(
    server: string,
    endpoint: Endpoint,
    { expiresAt: _, isOpen: __, session: ___, ...who }: Identity,
  ): Own {
    const { posts, log } = this.#parts;
    const tools = new ServerTools({
      server,
      // The client's rights are reduced to using servers, because it may outlive the token.
      post: posts.to(server, { ...who, role: "caller" }),
      maxBytes: this.#settings.maxAnswerBytes,
      maxTools: this.#settings.maxTools,
      log,
      spare: () => endpoint.spare(),
      onError: (tool, { message, error }) =>
        this.#paced.warn(`${server}: errors of calls`, "tool API: the server's error", {
          server,
          tool,
          code: String(error.value["code"]),
          reason: message,
        }),
    });
    return { tools, handlers: undefined };
  }

  #make(server: string, tools: ServerTools, { caller }: Identity): HandlerPair {
    const { log } = this.#parts;
    const inList = (name: string): string => name.slice(server.length + 1);
    return {
      own: createLazyHandler(log, () => this.#list(tools, caller), tools.call, {
        ...this.#toolOptions(server, (name) => name, caller),
        gateway: "../../../",
      }),
      listed: createLazyHandler(
        log,
        () => this.#listedAs(tools, caller),
        (name, args, request) => tools.call(inList(name), args, request),
        this.#toolOptions(server, inList, caller),
      ),
    };
  }

  /**
   * The options of a handler of one server's tools.
   * @param named returns the server's name for a tool of the handler
   */
  #toolOptions(
    server: string,
    named: (name: string) => string,
    caller: Caller | undefined,
  ): UIConfig {
    const { judge, whyHeld } = this.#parts;
    return {
      ...this.#options(server),
      judge: (call) => judge(server, { ...call, tool: named(call.tool) }, caller),
      whyMissing: (name) => whyHeld(server, named(name), caller),
      admit: ({ tool, body }) => this.#admit(server, { tool: named(tool), body, caller }),
      onRefused: (call) => this.#refused(server, named(call.tool), call, caller),
    };
  }

  /** The handler of `GET /tools` and of the console, for a client. */
  all(identity: Identity): NodeHandler {
    const kind = kindOf(identity);
    const handler = this.#everything.get(kind) ?? this.#over(identity, () => this.names(identity));
    this.#everything.set(kind, handler);
    return handler;
  }

  /** The handler for unknown names. */
  none(): NodeHandler {
    return this.#over(OPEN_IDENTITY, () => []);
  }

  /** Returns a handler that lists the tools of some servers, and runs none: each server's own handler does that. */
  #over(identity: Identity, servers: () => readonly string[]): NodeHandler {
    const list = async (): Promise<readonly ListedTool[]> => {
      const lists = servers().map((server) => this.#part(server, identity));
      return (await Promise.all(lists)).flat();
    };
    const call = (): never => {
      throw new Error("no server has this tool");
    };
    const options = { ...this.#options("Touchstone"), gateway: "./" };
    return createLazyHandler(this.#parts.log, list, call, options);
  }

  /**
   * Returns a server's part of the combined list: if the server has not responded yet, its tools from earlier starts;
   * if it cannot be reached, none.
   */
  async #part(server: string, identity: Identity): Promise<readonly ListedTool[]> {
    const endpoint = this.#parts.endpoints.get(server);
    if (endpoint === undefined) return [];
    try {
      const { tools } = this.#ownOf(server, endpoint, identity);
      const list = this.#listedAs(tools, identity.caller);
      return (
        (await valueOrTimeout(PART_MS, list, () => undefined)) ??
        (await this.#kept(server, identity.caller))
      );
    } catch (error) {
      this.#warn("the tools of a server are missing in /tools", server, error);
      return [];
    }
  }

  async #kept(server: string, caller: Caller | undefined): Promise<readonly ListedTool[]> {
    const late = new Error(
      `it did not respond within ${PART_MS / 1000} s; the gateway keeps asking`,
    );
    const kept = await this.#parts.keptTools(server);
    const names = [...kept].filter((name) =>
      this.#parts.allows(server, { name, isReadOnly: undefined }, caller),
    );
    if (names.length === 0) throw late;
    this.#warn("/tools has only the last known tools of this server", server, late);
    return names.sort().map((name) => ({ name: `${server}:${name}`, description: KEPT }));
  }

  /** Returns a server's tools. The list was filtered by the endpoint, possibly before the settings changed. */
  async #list(tools: ServerTools, caller: Caller | undefined): Promise<readonly ListedTool[]> {
    const { server } = tools;
    const list = await tools.list();
    return list.filter(({ name, annotations }) => {
      const isReadOnly = Object(annotations)["readOnlyHint"] === true;
      return this.#parts.allows(server, { name, isReadOnly }, caller);
    });
  }

  async #listedAs(tools: ServerTools, caller: Caller | undefined): Promise<readonly ListedTool[]> {
    const list = await this.#list(tools, caller);
    return list.map((tool) => ({ ...tool, name: `${tools.server}:${tool.name}` }));
  }

  #warn(message: string, server: string, error: unknown): void {
    const reason = messageOf(error);
    this.#paced.warn(`${server}: ${message}`, message, { server, reason });
  }

  #options(server: string): UIConfig {
    const { allowExecute, maxBodyBytes, maxObjectKeys, maxKeys } = this.#settings;
    return {
      allowExecute,
      maxBodyBytes,
      readBody: (request, limit) => readOrRefuse(request, limit, this.#parts.bodies),
      maxObjectKeys,
      maxKeys,
      hostTimeoutMs: LIST_MS,
      title: server,
      projectName: "Touchstone",
      console: this.#assets(),
      onFault: (fault) => this.#tell(server, fault),
    };
  }

  async #admit(server: string, call: Omit<IncomingCall, "client">): Promise<Rejection | undefined> {
    const over = await this.#parts.admit(server, { ...call, client: CLIENT });
    return over && { text: over.text, status: 429, retryAfter: over.retryAfter };
  }

  async #refused(
    server: string,
    tool: string,
    call: RefusedCall,
    caller: Identity["caller"],
  ): Promise<string | undefined> {
    const { body, check, text } = call;
    const about = { client: CLIENT, caller: caller?.name };
    return this.#parts.refused(server, { tool, body, check, text, ...about });
  }

  #tell(server: string, { code, message, tool, cause }: Fault): void {
    const reason = cause instanceof Error ? cause.message : undefined;
    this.#paced.warn(`${server}: tool API`, `tool API: ${message}`, {
      server,
      code,
      ...(tool === undefined ? {} : { tool }),
      ...(reason === undefined ? {} : { reason }),
    });
  }
}

/** Reads a body for the tool API. Returns undefined if it is larger than the limit. */
async function readOrRefuse(
  request: IncomingMessage,
  limit: number,
  bodies: UnfinishedBodies,
): Promise<Uint8Array | Response | undefined> {
  try {
    return await readCountedBody(request, limit, bodies);
  } catch (error) {
    if (error instanceof BodyTooLargeError) return undefined;
    if (!(error instanceof BodyRefusedError)) throw error;
    return plainResponse(error.status, { error: error.message }, error.headers);
  }
}

const httpModule = lateImport(async () => {
  const http = await import("@touchstone/http");
  await http.loadCheckThreads();
  return http;
});

/**
 * Creates a handler as {@link createNodeHandler} does; the package is loaded with the first request, so that a new
 * gateway answers its clients sooner.
 */
function createLazyHandler(
  log: Logger,
  ...parts: Parameters<typeof createNodeHandler>
): NodeHandler {
  let made: NodeHandler | undefined;
  return (request, response) => {
    if (made !== undefined) {
      made(request, response);
      return;
    }
    httpModule()
      .then((http) => {
        made ??= http.createNodeHandler(...parts);
        made(request, response);
      })
      .catch((error: unknown) => {
        log.error("the tool API cannot be loaded", { reason: String(error) });
        response.destroy();
      });
  };
}
