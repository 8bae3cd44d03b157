import { SchemaCache } from "@touchstone/core";
import { nodeDeadline } from "@touchstone/core/node";
import { openActivityStore } from "./activity/sqlite/open.ts";
import type { ActivityStore } from "./activity/store.ts";
import type { GatewayConfig, ServerConfig } from "./config/config.ts";
import type { Logger } from "./log.ts";
import type { ChildOptions } from "./relay/child.ts";
import { safeEnvironment } from "./relay/child-environment.ts";
import type { Endpoint } from "./relay/http/endpoint.ts";
import { type Listener, listen } from "./relay/http/listener.ts";
import { StdioEndpoint } from "./relay/http/stdio-endpoint.ts";
import { type GatewayParts, ServerRuntime } from "./server-runtime.ts";

export interface GatewayOptions {
  readonly config: GatewayConfig;
  readonly dataDir: string;
  /** The gateway's own environment; servers get the safe part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes the servers' stderr, line by line. */
  readonly stderr: (server: string, line: string) => void;
  readonly log: Logger;
}

/** A gateway that serves. */
export interface Gateway {
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  /** The URL of each server that is served, by its name. */
  readonly urls: ReadonlyMap<string, string>;
  /** Ends all sessions and servers, writes the last records, stops listening. */
  close(): Promise<void>;
}

/**
 * Serves every enabled server of a configuration over Streamable HTTP, each at `/mcp/{server}`.
 * @throws ActivityError when the records cannot be written
 * @throws ListenError when the address cannot be listened on
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log } = options;
  const activity = await openActivityStore({
    dataDir: options.dataDir,
    sync: config.activity.sync,
  });
  let listener: Listener | undefined;
  try {
    const parts = {
      activity,
      contracts: activity.contracts,
      cache: new SchemaCache({ deadline: nodeDeadline }),
      log,
    };
    const servers = config.servers.filter((server) => !server.disabled);
    const endpoints = new Map<string, Endpoint>();
    for (const server of servers) {
      endpoints.set(server.name, await endpoint(server, parts, options));
    }
    listener = await listen({
      host: config.listen.host,
      port: config.listen.port,
      access: { ...config.listen, ...config.auth },
      maxRequestBytes: config.limits.requestBytes,
      endpoints,
      log,
    });
    await activity.append([{ type: "system_start", source: "gateway", reason: "serve" }]);
    return running(listener, activity, [...endpoints.keys()]);
  } catch (error) {
    await listener?.close();
    await activity.close();
    throw error;
  }
}

function running(listener: Listener, activity: ActivityStore, servers: readonly string[]): Gateway {
  const { host, port } = listener;
  const base = `http://${host.includes(":") ? `[${host}]` : host}:${port}/mcp/`;
  return {
    host,
    port,
    urls: new Map(servers.map((name) => [name, base + encodeURIComponent(name)])),
    async close() {
      try {
        await listener.close();
        await activity.append([{ type: "system_stop", source: "gateway", reason: "serve" }]);
      } finally {
        await activity.close();
      }
    },
  };
}

async function endpoint(
  server: ServerConfig,
  parts: GatewayParts,
  options: GatewayOptions,
): Promise<Endpoint> {
  const runtime = new ServerRuntime(server, parts);
  const { limits } = options.config;
  const { upstream } = server;
  if (upstream.type === "http") {
    // Its HTTP client takes long to load, and `touchstone wrap` never needs it.
    const { HttpEndpoint } = await import("./relay/http/http-endpoint.ts");
    return new HttpEndpoint(runtime, upstream, limits.upstreamFrameBytes);
  }
  const child: ChildOptions = {
    command: upstream.command,
    args: upstream.args,
    env: { ...safeEnvironment(options.env), ...upstream.env },
    maxFrameBytes: limits.upstreamFrameBytes,
    stderr: (line) => options.stderr(server.name, line),
    ...(upstream.cwd === undefined ? {} : { cwd: upstream.cwd }),
  };
  return new StdioEndpoint(runtime, child, limits.sessions);
}
