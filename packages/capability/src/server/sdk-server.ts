import { isObject } from "@touchstone/core/advanced";
import { CapabilityError } from "../errors.ts";

/** A handler as the SDK keeps it: the JSON-RPC request and the SDK's context, `extra` or `ctx`. */
export type RequestHandler = (request: unknown, context: unknown) => unknown;

/** Returns the handler that replaces the given one; undefined if there should be no handler. */
export type Decorator = (handler: RequestHandler | undefined) => RequestHandler | undefined;

/** The parts of a server that are needed, of either SDK generation. */
export interface SdkServer {
  /** Returns the handler that the author registered, before or after the server was wrapped. */
  handler(method: string): RequestHandler | undefined;
  /** Wraps handlers, including those that are registered later. */
  decorate(decorators: Readonly<Record<string, Decorator>>): void;
  /** Declares that the server has tools, which is required before listing them. */
  declareTools(): void;
  /** Names of a high-level server's tools so far; empty for a low-level one. */
  readonly registeredTools: readonly string[];
}

type Handlers = Map<string, RequestHandler>;

interface LowLevelServer {
  readonly _requestHandlers: Handlers;
  readonly transport?: unknown;
  readonly fallbackRequestHandler?: RequestHandler;
  registerCapabilities(capabilities: object): void;
}

function isLowLevel(value: unknown): value is LowLevelServer {
  if (!isObject(value)) return false;
  const { _requestHandlers: handlers, registerCapabilities, getClientCapabilities } = value;
  // The SDKs' clients have `_requestHandlers` and `registerCapabilities` as well.
  const isServer = typeof getClientCapabilities === "function";
  return isServer && handlers instanceof Map && typeof registerCapabilities === "function";
}

const decorated = new WeakSet<Handlers>();

/**
 * Opens a server of the MCP TypeScript SDK, v1 or v2, low-level (`Server`) or high-level (`McpServer`). Both
 * generations keep their handlers in one map by method and look there for each request: the one place where handlers
 * of both can be wrapped, before or after they are registered.
 * @throws CapabilityError
 */
export function openServer(server: object): SdkServer {
  const inner = isObject(server) && isLowLevel(server["server"]) ? server["server"] : server;
  if (!isLowLevel(inner)) {
    const message =
      "the object is not a server of the MCP TypeScript SDK: pass a Server or McpServer of @modelcontextprotocol/sdk 1.x or @modelcontextprotocol/server 2.x";
    throw new CapabilityError("not_a_server", message);
  }
  const handlers = inner._requestHandlers;
  if (decorated.has(handlers)) {
    throw new CapabilityError(
      "already_added",
      "the server already serves validation: wrap it once",
    );
  }
  if (inner.transport !== undefined) {
    const message =
      "the server is already connected: wrap it before connect(), because clients learn its capabilities then";
    throw new CapabilityError("already_connected", message);
  }
  const find = handlers.get.bind(handlers);
  const registered = isObject(server) ? server["_registeredTools"] : undefined;
  return {
    handler: (method) => find(method) ?? inner.fallbackRequestHandler?.bind(inner),
    decorate(decorators) {
      decorated.add(handlers);
      const byMethod = new Map(Object.entries(decorators));
      handlers.get = (method) => {
        const decorator = byMethod.get(method);
        if (decorator === undefined) return find(method);
        return decorator(find(method) ?? inner.fallbackRequestHandler?.bind(inner));
      };
    },
    declareTools: () => inner.registerCapabilities({ tools: {} }),
    registeredTools: isObject(registered) ? Object.keys(registered) : [],
  };
}
