import { isDeepStrictEqual } from "node:util";
import { SchemaCache } from "@touchstone/core";
import { nodeDeadline } from "@touchstone/core/node";
import { ACTIVITY_API_PATH } from "./activity/api/api.ts";
import type { ActivityStore } from "./activity/store.ts";
import { type ActivityWorker, startActivityWorker } from "./activity/worker/client.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { Logger } from "./log.ts";
import type { Endpoint } from "./relay/http/endpoint.ts";
import { type Listener, type ListenerOptions, listen } from "./relay/http/listener.ts";
import { ServerRuntime } from "./server-runtime.ts";
import { endpointMaker, type ProcessParts } from "./serving/make-endpoint.ts";
import { openRecords, placeOf, retentionOf } from "./serving/records.ts";
import { ServedServers } from "./serving/served-servers.ts";
import { toolsApiSettings } from "./tools-api/settings.ts";
import { ToolsApi } from "./tools-api/tools-api.ts";

export interface GatewayOptions extends ProcessParts {
  readonly config: GatewayConfig;
  readonly dataDir: string;
  readonly log: Logger;
}

/** A gateway that serves. */
export interface Gateway {
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  /** The URL of each server that is served, by its name. */
  readonly urls: ReadonlyMap<string, string>;
  /**
   * Takes another configuration, whole or not at all. Servers whose upstream and limits are the same
   * keep their sessions and judge by the new settings from the next message on; of the others, calls
   * that are under way are answered first (30 s at most).
   * @returns what has changed, one line each; empty where nothing has
   * @throws ListenError when a new address cannot be listened on, ReloadError where a change needs a
   *   restart; the old configuration stays
   */
  reload(config: GatewayConfig): Promise<readonly string[]>;
  /** Ends all sessions and servers, writes the last records, stops listening. */
  close(): Promise<void>;
}

/**
 * Serves every enabled server of a configuration over Streamable HTTP, each at `/mcp/{server}`.
 * @throws ActivityError when the records cannot be written
 * @throws ListenError when the address cannot be listened on
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, dataDir, log } = options;
  const activity = await openRecords(config.activity, dataDir, log);
  const gateway = new RunningGateway(options, activity);
  try {
    await gateway.reload(config);
    await activity.append([{ type: "system_start", source: "gateway", reason: "serve" }]);
    return gateway;
  } catch (error) {
    await gateway.end();
    throw error;
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A socket that is listened on, and the rules that it reads for each request. */
interface Open {
  readonly listener: Listener;
  readonly rules: Mutable<ListenerOptions>;
}

function addressOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

class RunningGateway implements Gateway {
  readonly #activity: ActivityStore;
  readonly #log: Logger;
  readonly #servers: ServedServers;
  readonly #records: ActivityWorker;
  readonly #toolsApi: ToolsApi;
  #config: GatewayConfig | undefined;
  #open: Open | undefined;
  #reloading: Promise<unknown> = Promise.resolve();

  constructor(options: GatewayOptions, activity: ActivityStore) {
    const { config, dataDir, log } = options;
    this.#activity = activity;
    this.#records = startActivityWorker({
      place: placeOf(config.activity, dataDir),
      retention: retentionOf(config.activity),
      onRetentionError: (error) =>
        log.error("old records could not be removed", { reason: error.message }),
    });
    this.#log = log;
    const cache = new SchemaCache({ deadline: nodeDeadline });
    const { bodies } = config.activity;
    const parts = { activity, bodies, contracts: activity.contracts, cache, log };
    this.#servers = new ServedServers({
      runtime: (settings) => new ServerRuntime(settings, parts),
      endpoint: endpointMaker(options),
      log,
    });
    this.#toolsApi = new ToolsApi({
      endpoints: this.#servers.endpoints,
      address: () => ({
        host: this.host,
        port: this.port,
        apiKey: this.#open?.rules.access.apiKey,
      }),
      settings: toolsApiSettings(config),
      log,
    });
  }

  get host(): string {
    return this.#open?.listener.host ?? "";
  }

  get port(): number {
    return this.#open?.listener.port ?? 0;
  }

  get urls(): ReadonlyMap<string, string> {
    const base = `http://${addressOf(this)}/mcp/`;
    const names = [...this.#servers.endpoints.keys()];
    return new Map(names.map((name) => [name, base + encodeURIComponent(name)]));
  }

  reload(config: GatewayConfig): Promise<readonly string[]> {
    const reloaded = this.#reloading.then(() => this.#reload(config));
    this.#reloading = reloaded.catch(() => {});
    return reloaded;
  }

  async #reload(config: GatewayConfig): Promise<readonly string[]> {
    const before = this.#config;
    if (before !== undefined && !isDeepStrictEqual(before.activity, config.activity)) {
      throw new ReloadError("what is set under activity takes effect with a restart only");
    }
    const servers = await this.#servers.prepare(config);
    let opened: Open | undefined;
    try {
      opened = await this.#listen(config);
    } catch (error) {
      await servers.discard();
      throw error;
    }
    const old = this.#open;
    if (opened === undefined && old !== undefined) Object.assign(old.rules, rulesOf(config));
    else this.#open = opened;
    servers.commit();
    this.#toolsApi.update(toolsApiSettings(config));
    this.#config = config;
    if (before === undefined) return [];
    const changes = [...servers.changes, ...describeRules(before, config)];
    if (opened !== undefined && old !== undefined) await leave(old);
    if (changes.length > 0) {
      const reason = changes.join("; ");
      await this.#activity.append([{ type: "config_change", source: "gateway", reason }]);
    }
    return changes;
  }

  /** Listens, where another address is configured than the one that is listened on. */
  async #listen(config: GatewayConfig): Promise<Open | undefined> {
    const { host, port } = config.listen;
    const before = this.#config?.listen;
    if (before !== undefined && addressOf(before) === addressOf(config.listen)) return undefined;
    const { endpoints } = this.#servers;
    const pages = new Map([[ACTIVITY_API_PATH, this.#records.handle]]);
    const rules: Open["rules"] = {
      host,
      port,
      ...rulesOf(config),
      endpoints,
      pages,
      site: this.#toolsApi,
      log: this.#log,
    };
    return { listener: await listen(rules), rules };
  }

  async close(): Promise<void> {
    await this.#reloading;
    try {
      await this.#open?.listener.close();
      await this.#servers.close();
      await this.#records.close();
      await this.#activity.append([{ type: "system_stop", source: "gateway", reason: "serve" }]);
    } finally {
      await this.#activity.close();
    }
  }

  /** Ends what has been begun of a start that failed. */
  async end(): Promise<void> {
    await this.#open?.listener.close();
    await this.#servers.close();
    await this.#records.close();
    await this.#activity.close();
  }
}

/** A configuration that cannot take the place of the one that holds. */
export class ReloadError extends Error {
  override readonly name: string = "ReloadError";
}

type Rules = Pick<ListenerOptions, "access" | "maxRequestBytes">;

function rulesOf({ listen: { allowedHosts, allowedOrigins }, auth, limits }: GatewayConfig): Rules {
  return {
    access: { allowedHosts, allowedOrigins, ...auth },
    maxRequestBytes: limits.requestBytes,
  };
}

const NO_ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map();

/** Gives a socket up; the servers behind it go on. */
async function leave({ listener, rules }: Open): Promise<void> {
  rules.endpoints = NO_ENDPOINTS;
  await listener.close();
}

function describeRules(before: GatewayConfig, after: GatewayConfig): readonly string[] {
  const changes: string[] = [];
  const address = addressOf(after.listen);
  if (addressOf(before.listen) !== address) changes.push(`listens on ${address}`);
  const hosts = ({ listen }: GatewayConfig) => [listen.allowedHosts, listen.allowedOrigins];
  if (!isDeepStrictEqual(hosts(before), hosts(after)))
    changes.push("other hosts or origins are allowed");
  if (before.auth.apiKey !== after.auth.apiKey) changes.push("the API key is another");
  if (!isDeepStrictEqual(before.limits, after.limits)) changes.push("limits are others");
  if (before.http.allowExecute !== after.http.allowExecute)
    changes.push(`the HTTP tool API ${after.http.allowExecute ? "may" : "may not"} run tools`);
  return changes;
}
