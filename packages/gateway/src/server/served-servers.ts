import { setMaxListeners } from "node:events";
import { isDeepStrictEqual } from "node:util";
import type { ContractScope } from "@touchstone/records/plain";
import { type Logger, serverLogger, timeoutSignal, untilAborted } from "@touchstone/util";
import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import { capabilityOf } from "../features/capability/capability.ts";
import type { AddedValidation } from "../pipeline/added-validation.ts";
import type { Endpoint } from "../relay/http/endpoint.ts";
import { callLimits, type ServerSettings } from "../relay/server-context.ts";
import type { ServerRuntime } from "../relay/server-runtime.ts";
import type { UpstreamState } from "../transport/upstream-status.ts";
import { type CloseOptions, DrainingEndpoint } from "./draining-endpoint.ts";
import { RetiredParts } from "./retired-parts.ts";

/** One server that is served. */
export interface ServedServer {
  readonly config: ServerConfig;
  readonly limits: GatewayConfig["limits"];
  readonly validation: AddedValidation | undefined;
  readonly runtime: ServerRuntime;
  readonly endpoint: DrainingEndpoint;
}

/** Makes a server's runtime; it does not connect before a client does. */
export type MakeEndpoint = (
  server: ServerConfig,
  runtime: ServerRuntime,
  limits: GatewayConfig["limits"],
) => Promise<Endpoint>;

export interface ServedServersOptions {
  readonly runtime: (settings: ServerSettings) => ServerRuntime;
  readonly endpoint: MakeEndpoint;
  readonly validation: (server: ServerConfig) => Promise<AddedValidation | undefined>;
  readonly log: Logger;
}

/** How long a removed server may take to answer open requests, in milliseconds. */
export const DRAIN_MS = 30_000;

/** A prepared change that has not taken effect yet. */
export interface PreparedServers {
  /** What will change, one line for each server; empty if nothing will. */
  readonly changes: readonly string[];
  /** Applies it, at once and as a whole. */
  commit(): void;
  /** Drops it. */
  discard(): Promise<void>;
}

/** The servers of the configuration in force, by name. */
export class ServedServers {
  /** The current endpoints; always the same map. */
  readonly endpoints: Map<string, Endpoint> = new Map();
  readonly #options: ServedServersOptions;
  readonly #leaving: RetiredParts = new RetiredParts();
  readonly #closing: AbortController = new AbortController();
  #served: ReadonlyMap<string, ServedServer> = new Map();

  constructor(options: ServedServersOptions) {
    this.#options = options;
  }

  /** Returns a server that is served. */
  get(name: string): ServedServer | undefined {
    return this.#served.get(name);
  }

  /** Prepares a configuration. Servers with the same upstream keep sessions and processes. */
  async prepare({ servers, limits }: GatewayConfig): Promise<PreparedServers> {
    const next = new Map<string, ServedServer>();
    const fresh: ServedServer[] = [];
    for (const config of servers.filter((server) => !server.disabled)) {
      const old = this.#served.get(config.name);
      const stays = old !== undefined && sameUpstream(old, config, limits);
      const served = stays
        ? { ...old, config, validation: await this.#validation(config, old) }
        : await this.#make(config, limits);
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

  /** Notes a list that another gateway found changed; without a scope, of any server. */
  listChanged(scope: ContractScope | undefined): void {
    if (scope !== undefined) this.#served.get(scope.server)?.runtime.listChanged(scope);
    else for (const { runtime } of this.#served.values()) runtime.listChanged(undefined);
  }

  /** The status of each server, by name. */
  get states(): Readonly<Record<string, UpstreamState>> {
    const served = [...this.#served];
    return Object.fromEntries(
      served.map(([name, { runtime }]) => [name, runtime.status.health.state]),
    );
  }

  /** The number of open requests. */
  get underWay(): number {
    return [...this.#served.values()].reduce((sum, { endpoint }) => sum + endpoint.underWay, 0);
  }

  /** Waits until there are no open requests anymore, including those of servers that are ending. */
  async answerTheRest({ graceMs = 0, hurry }: CloseOptions): Promise<void> {
    if (graceMs === 0) return;
    const signal = timeoutSignal(graceMs, hurry);
    // Each server listens. Node warns of more than ten listeners.
    setMaxListeners(0, signal);
    const served = [...this.#served.values()];
    const settled = served.map(({ endpoint }) => endpoint.settled(signal));
    await Promise.race([Promise.all([...settled, this.#leaving.gone()]), untilAborted(signal)]);
    const { underWay } = this;
    if (underWay > 0) this.#options.log.warn(`requests end without their responses: ${underWay}`);
  }

  /** Ends every server, including those that are ending already. */
  async close(): Promise<void> {
    this.#closing.abort();
    const served = [...this.#served.values()];
    const ended = served.map(({ endpoint, runtime }) =>
      endpoint.close().finally(() => runtime.learned()),
    );
    await Promise.all([...ended, this.#leaving.gone()]);
  }

  /** Knowledge about a server is kept across reloads. */
  #validation(config: ServerConfig, old: ServedServer): Promise<AddedValidation | undefined> {
    const same = capabilityOf(old.config.settings) === capabilityOf(config.settings);
    return same ? Promise.resolve(old.validation) : this.#options.validation(config);
  }

  async #make(config: ServerConfig, limits: GatewayConfig["limits"]): Promise<ServedServer> {
    const validation = await this.#options.validation(config);
    const runtime = this.#options.runtime({ ...config, ...callLimits(limits), validation });
    const endpoint = new DrainingEndpoint(await this.#options.endpoint(config, runtime, limits));
    return { config, limits, validation, runtime, endpoint };
  }

  #commit(next: ReadonlyMap<string, ServedServer>): void {
    const old = this.#served;
    this.#served = next;
    this.endpoints.clear();
    for (const [name, { config, validation, runtime, endpoint }] of next) {
      runtime.update({ ...config, validation });
      this.endpoints.set(name, endpoint);
    }
    for (const [name, { endpoint, runtime }] of old) {
      if (next.get(name)?.endpoint === endpoint) continue;
      const signal = timeoutSignal(DRAIN_MS, this.#closing.signal);
      const drained = endpoint.drain(signal).finally(() => runtime.learned());
      const left = this.#leaving.add(drained, (reason) =>
        serverLogger(this.#options.log, name).warn(
          `${name}: could not be ended cleanly: ${reason}`,
        ),
      );
      next.get(name)?.endpoint.follow(endpoint, left);
    }
  }
}

function sameUpstream(
  old: ServedServer,
  config: ServerConfig,
  limits: GatewayConfig["limits"],
): boolean {
  // The limit of processes is read whenever a process is about to start.
  const { children } = old.limits;
  return (
    isDeepStrictEqual(old.config.upstream, config.upstream) &&
    isDeepStrictEqual(old.limits, { ...limits, children })
  );
}

function describeChanges(
  old: ReadonlyMap<string, ServedServer>,
  next: ReadonlyMap<string, ServedServer>,
): readonly string[] {
  const changes: string[] = [];
  for (const [name, { config, endpoint }] of next) {
    const before = old.get(name);
    if (before === undefined) changes.push(`${name} is new`);
    else if (before.endpoint !== endpoint) changes.push(`${name} is restarted`);
    else if (!isDeepStrictEqual(before.config, config)) changes.push(`${name} has new settings`);
  }
  for (const name of old.keys()) if (!next.has(name)) changes.push(`${name} is gone`);
  return changes;
}
