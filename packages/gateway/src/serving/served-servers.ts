import { isDeepStrictEqual } from "node:util";
import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import type { Logger } from "../log.ts";
import type { Endpoint } from "../relay/http/endpoint.ts";
import { callLimits, type ServerRuntime, type ServerSettings } from "../server-runtime.ts";
import { DrainingEndpoint } from "./draining-endpoint.ts";

/** One server that is served. */
interface Served {
  readonly config: ServerConfig;
  readonly limits: GatewayConfig["limits"];
  readonly runtime: ServerRuntime;
  readonly endpoint: DrainingEndpoint;
}

/** Makes what serves a server; it connects to nothing before a client comes. */
export type MakeEndpoint = (
  server: ServerConfig,
  runtime: ServerRuntime,
  limits: GatewayConfig["limits"],
) => Promise<Endpoint>;

export interface ServedServersOptions {
  readonly runtime: (settings: ServerSettings) => ServerRuntime;
  readonly endpoint: MakeEndpoint;
  readonly log: Logger;
}

/** How long an answer may take to come from a server that is no longer configured, in milliseconds. */
const DRAIN_MS = 30_000;

/** A change that has been prepared, and has not taken effect. */
export interface PreparedServers {
  /** What will be different, one line for each server; empty where nothing is. */
  readonly changes: readonly string[];
  /** Lets it take effect, at once and whole. */
  commit(): void;
  /** Drops it. */
  discard(): Promise<void>;
}

/** The servers of the configuration that holds, by name. */
export class ServedServers {
  /** What is served at the moment; the same map at any time. */
  readonly endpoints: Map<string, Endpoint> = new Map();
  readonly #options: ServedServersOptions;
  readonly #leaving: Set<Promise<void>> = new Set();
  #served: ReadonlyMap<string, Served> = new Map();

  constructor(options: ServedServersOptions) {
    this.#options = options;
  }

  /** Prepares a configuration. Servers whose upstream stays the same keep sessions and processes. */
  async prepare({ servers, limits }: GatewayConfig): Promise<PreparedServers> {
    const next = new Map<string, Served>();
    const fresh: Served[] = [];
    for (const config of servers.filter((server) => !server.disabled)) {
      const old = this.#served.get(config.name);
      const stays = old !== undefined && sameUpstream(old, config, limits);
      const served = stays ? { ...old, config } : await this.#make(config, limits);
      if (!stays) fresh.push(served);
      next.set(config.name, served);
    }
    return {
      changes: describeChanges(this.#served, next),
      commit: () => this.#commit(next),
      discard: async () => {
        await Promise.all(fresh.map(({ endpoint }) => endpoint.close()));
      },
    };
  }

  /** Ends every server, those that are on their way out too. */
  async close(): Promise<void> {
    const served = [...this.#served.values()];
    await Promise.all([...served.map(({ endpoint }) => endpoint.close()), ...this.#leaving]);
  }

  async #make(config: ServerConfig, limits: GatewayConfig["limits"]): Promise<Served> {
    const runtime = this.#options.runtime({ ...config, ...callLimits(limits) });
    const endpoint = new DrainingEndpoint(await this.#options.endpoint(config, runtime, limits));
    return { config, limits, runtime, endpoint };
  }

  #commit(next: ReadonlyMap<string, Served>): void {
    const old = this.#served;
    this.#served = next;
    this.endpoints.clear();
    for (const [name, { config, runtime, endpoint }] of next) {
      runtime.update(config);
      this.endpoints.set(name, endpoint);
    }
    for (const [name, { endpoint }] of old) {
      if (next.get(name)?.endpoint === endpoint) continue;
      const left = endpoint
        .drain(DRAIN_MS)
        .catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          this.#options.log.warn(`${name}: could not be ended in order: ${reason}`);
        })
        .finally(() => this.#leaving.delete(left));
      this.#leaving.add(left);
    }
  }
}

function sameUpstream(old: Served, config: ServerConfig, limits: GatewayConfig["limits"]): boolean {
  return (
    isDeepStrictEqual(old.config.upstream, config.upstream) && isDeepStrictEqual(old.limits, limits)
  );
}

function describeChanges(
  old: ReadonlyMap<string, Served>,
  next: ReadonlyMap<string, Served>,
): readonly string[] {
  const changes: string[] = [];
  for (const [name, { config, endpoint }] of next) {
    const before = old.get(name);
    if (before === undefined) changes.push(`${name} is new`);
    else if (before.endpoint !== endpoint) changes.push(`${name} is started anew`);
    else if (!isDeepStrictEqual(before.config, config)) changes.push(`${name} has new settings`);
  }
  for (const name of old.keys()) if (!next.has(name)) changes.push(`${name} is gone`);
  return changes;
}
