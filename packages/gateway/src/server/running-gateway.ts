import { messageOf } from "@touchstone/core/advanced";
import type { Author } from "@touchstone/records/plain";
import type { ActivitySource } from "@touchstone/records/record";
import { checkInstallation, type Logger, lateImport, loadLateImports } from "@touchstone/util";
import { changedKeys } from "../config/changed-keys.ts";
import type { GatewayConfig } from "../config/config.ts";
import { configAsFile } from "../config/config-to-file.ts";
import { writeFault } from "../config/edit/writable.ts";
import { settingChanges, settingChangesText } from "../config/setting-changes.ts";
import { configurationHash } from "../fleet/configuration-hash.ts";
import type { Membership } from "../fleet/membership.ts";
import { metricsOffPage } from "../insight/telemetry/open.ts";
import { rolloutSettings } from "../policy/rollout-settings.ts";
import { stillBlocking, stillBlockingText } from "../policy/still-blocking.ts";
import { ownerName } from "../relay/http/identity.ts";
import { PauseWatch } from "../relay/pause-watch.ts";
import { fewerKeptBodies } from "../settings/activity.ts";
import { UnfinishedBodies } from "../transport/http/unfinished-bodies.ts";
import { ChildSlots } from "../transport/stdio/child-limits.ts";
import { metadataAt } from "./access/protected-resource.ts";
import { describeRules, hostAndPort, reachableHost } from "./access/rules.ts";
import { Addresses, type ListenerParts } from "./addresses.ts";
import type { AdminApi } from "./admin/admin-api.ts";
import { AlertsApi } from "./alerts/alerts-api.ts";
import { assemble, type Observers } from "./assemble.ts";
import { AttentionView } from "./attention.ts";
import { checkCalls } from "./check-call.ts";
import type { CloseOptions } from "./draining-endpoint.ts";
import { type Gateway, type GatewayOptions, ReloadError } from "./gateway-options.ts";
import type { LiveRecords } from "./live-records.ts";
import type { App } from "./mcp-routes.ts";
import { consoleLink, writePresenceFile } from "./presence-file.ts";
import { ReachabilityCheck, type ReachResult } from "./reachability.ts";
import { readinessOf } from "./readiness.ts";
import { recordConfigChange } from "./record-config-change.ts";
import { RejectedRequestRecords } from "./rejected-requests.ts";
import type { Api } from "./route.ts";
import type { PreparedServers, ServedServers } from "./served-servers.ts";
import type { ServerLogs } from "./server-logs.ts";
import { ShutdownLimit } from "./shutdown-limit.ts";
import { SignInCodes } from "./sign-in/codes.ts";
import type { OpenedSignIn, OpenSignInParts } from "./sign-in/open.ts";
import { OperatorTokenFile } from "./sign-in/operator-token.ts";
import type { Socket } from "./socket.ts";
import type { EndpointPoster } from "./tools-api/endpoint-poster.ts";
import { toolsApiSettings } from "./tools-api/settings.ts";
import type { ToolsApi } from "./tools-api/tools-api.ts";
import { ViewsApi } from "./views-api.ts";

/** The questions about records whose answers depend on the current settings. */
const JUDGED: ReadonlySet<string> = new Set(["rollout", "overview", "problems", "problem"]);

/** Who changes the configuration: its file, or a request to the admin API. */
interface Changer {
  readonly source: ActivitySource;
  readonly asked?: string;
  readonly author: Author;
}

/** Settings that are only read at the start: telemetry, and the store of the records. */
const AT_START = ["telemetry", "activity.store"];

const appModule = lateImport(() => import("./app.ts"));

/** Returns the part of another configuration that a running gateway can apply. */
function runningWith(before: GatewayConfig, asked: GatewayConfig): GatewayConfig {
  const { store: wanted, ...activity } = asked.activity;
  const { store, bodies } = before.activity;
  // The default for `bodies` depends on the store, which stays until a restart.
  const isMoved = wanted !== store && activity.bodies === "failed";
  const kept = isMoved ? fewerKeptBodies(bodies, activity.bodies) : activity.bodies;
  return {
    ...asked,
    telemetry: before.telemetry,
    activity: { ...activity, bodies: kept, ...(store !== undefined && { store }) },
  };
}

/** A gateway from its start to its end. */
export class RunningGateway implements Gateway {
  readonly #activity: LiveRecords;
  readonly #watchers: Observers;
  readonly #log: Logger;
  readonly #servers: ServedServers;
  readonly #posts: EndpointPoster;
  readonly #toolsApi: ToolsApi;
  readonly #children: ChildSlots;
  readonly #bodies: UnfinishedBodies;
  readonly #admin: AdminApi;
  readonly #logs: ServerLogs;
  readonly #membership: Membership;
  readonly #turnedAway: RejectedRequestRecords;
  readonly #addresses: Addresses;
  /** The module is loaded with its first request, so that a new gateway answers MCP clients sooner. */
  readonly #app: App = async (...asked) => {
    this.#loaded ??= appModule().then(({ createApp, openSignIn }) =>
      createApp({ ...this.#api(), ...openSignIn(this.#signInParts()) }, this.#log),
    );
    return (await this.#loaded)(...asked);
  };
  #loaded: Promise<App> | undefined;
  readonly #codes: SignInCodes;
  readonly #pauses: PauseWatch;
  readonly #dataDir: string;
  readonly #operatorToken: OperatorTokenFile;
  #leave: () => void = () => {};
  readonly #reaching: ReachabilityCheck;
  /** The configuration in force. */
  #config: GatewayConfig | undefined;
  /** The latest requested configuration: parts of it may wait for a restart. */
  #asked: GatewayConfig | undefined;
  readonly #inForce: () => GatewayConfig;
  #stopping = false;
  #closed: Promise<void> | undefined;
  #reloading: Promise<unknown> = Promise.resolve();

  constructor(options: GatewayOptions, activity: LiveRecords, watchers: Observers) {
    const { config, dataDir, log, source, codes = new SignInCodes() } = options;
    this.#codes = codes;
    this.#inForce = () => this.#config ?? config;
    this.#dataDir = dataDir;
    this.#operatorToken = new OperatorTokenFile(dataDir, codes.startToken, log);
    this.#activity = activity;
    this.#watchers = watchers;
    this.#children = new ChildSlots(config.limits.children);
    this.#log = log;
    this.#bodies = new UnfinishedBodies({
      limits: config.limits,
      times: options.bodyTimes,
      callerOf: ownerName,
      log,
    });
    this.#turnedAway = new RejectedRequestRecords({
      append: (entries) => activity.append(entries),
      log,
    });
    this.#addresses = new Addresses(() => this.#served(), this.#codes, log);
    this.#pauses = new PauseWatch({
      dataDir,
      log,
      append: (entries) => activity.append(entries),
      servers: () => [...this.#servers.endpoints.keys()],
      stillBlocking: (server, policy) => {
        const { servers, auth } = this.#config ?? config;
        const served = servers.filter(
          ({ name, disabled }) => !disabled && (server === undefined || name === server),
        );
        return stillBlockingText(stillBlocking(served, policy, auth));
      },
      mayChangePolicy: () => source !== undefined && writeFault(source.file) === undefined,
    });
    const parts = assemble(options, activity, watchers, {
      children: this.#children,
      bodies: this.#bodies,
      config: this.#inForce,
      address: () => ({ host: this.host, port: this.port }),
      codes: this.#codes,
      pause: (server) => this.#pauses.of(server),
      change: (changed, asked, author) => this.#queue(changed, { source: "http", asked, author }),
    });
    this.#servers = parts.servers;
    this.#posts = parts.posts;
    this.#toolsApi = parts.toolsApi;
    this.#membership = parts.membership;
    this.#admin = parts.admin;
    this.#logs = parts.logs;
    this.#reaching = new ReachabilityCheck({
      posts: parts.posts,
      summary: (server) => parts.admin.summary(server),
      log,
    });
  }

  get host(): string {
    return this.#addresses.host;
  }

  get port(): number {
    return this.#addresses.port;
  }

  get url(): string {
    return `http://${hostAndPort(this)}/`;
  }

  consoleLink(page = ""): string {
    return consoleLink(this.#ownUrl, page, this.#codes.issue());
  }

  /** Its URL on this machine. */
  get #ownUrl(): string {
    return `http://${hostAndPort({ host: reachableHost(this.host), port: this.port })}/`;
  }

  get records(): string {
    return this.#activity.place;
  }

  get urls(): ReadonlyMap<string, string> {
    const base = `${this.url}mcp/`;
    const names = [...this.#servers.endpoints.keys()];
    return new Map(names.map((name) => [name, base + encodeURIComponent(name)]));
  }

  get underWay(): number {
    return this.#servers.underWay;
  }

  async reach(patience?: number): Promise<readonly ReachResult[]> {
    const { urls } = this;
    const servers = [...urls.keys()].flatMap((name) => this.#servers.get(name) ?? []);
    return this.#reaching.reach(servers, urls, patience);
  }

  reload(config: GatewayConfig, file = "touchstone.json"): Promise<readonly string[]> {
    return this.#queue(config, { source: "gateway", author: { actor: `file ${file}` } });
  }

  /** Records the start, and joins the gateways that share the store. */
  async begin(): Promise<void> {
    const config = this.#config;
    const hash = config === undefined ? "" : `; configuration ${configurationHash(config)}`;
    const entry = { type: "system_start", source: "gateway", reason: `serve${hash}` } as const;
    await this.#activity.append([entry]);
    this.#pauses.begin();
    await this.#membership.join();
    this.#announce();
  }

  async loadRest(): Promise<void> {
    this.#toolsApi.loadConsole();
    try {
      await loadLateImports();
      // The module that was loaded last may already be of another version.
      const changed = checkInstallation();
      if (changed !== undefined) throw changed;
      this.#log.debug("all parts are loaded: an upgrade may replace the files");
    } catch (error) {
      this.#log.warn("a part of the gateway cannot be loaded", { reason: messageOf(error) });
    }
  }

  /**
   * Writes the file by which commands on the same data directory find the gateway; without the file, they do not find
   * it.
   */
  #announce(): void {
    this.#leave();
    this.#leave = () => {};
    try {
      this.#leave = writePresenceFile(this.#dataDir, this.#ownUrl, this.#codes.localSecret);
    } catch (error) {
      const reason = messageOf(error);
      this.#log.debug("touchstone ui will not find this gateway", { reason });
    }
  }

  #queue(config: GatewayConfig, by: Changer): Promise<readonly string[]> {
    const reloaded = this.#reloading.then(() => this.#reload(config, by));
    this.#reloading = reloaded.catch(() => {});
    return reloaded;
  }

  async #reload(asked: GatewayConfig, by: Changer): Promise<readonly string[]> {
    // Nothing that is begun now would be ended.
    if (this.#closed !== undefined) {
      throw new ReloadError(
        "GATEWAY_ENDING",
        "the gateway is ending; restart it with this configuration",
      );
    }
    const before = this.#config;
    const config = before === undefined ? asked : runningWith(before, asked);
    const records = await this.#activity.prepare(config.activity);
    let servers: PreparedServers | undefined;
    let opened: Socket | undefined;
    try {
      servers = await this.#servers.prepare(config);
      opened = await this.#addresses.open(config);
    } catch (error) {
      await Promise.all([servers?.discard(), records.discard()]);
      throw error;
    }
    this.#addresses.take(config, opened);
    if (before !== undefined && opened !== undefined) this.#announce();
    this.#children.limit = config.limits.children;
    this.#bodies.limits = config.limits;
    records.commit();
    servers.commit();
    this.#logs.keep(new Set(config.servers.map(({ name }) => name)));
    this.#toolsApi.update(toolsApiSettings(config));
    this.#watchers.alerts.update(config.alerts);
    this.#config = config;
    this.#operatorToken.keep(this.#admin.needsToken);
    this.#pauses.look();
    const wanted = this.#asked;
    this.#asked = asked;
    if (before === undefined) return [];
    if (wanted !== undefined) this.#tellRestart(wanted, asked);
    const changes = [...servers.changes, ...records.changes, ...describeRules(before, config)];
    if (changes.length > 0) {
      const { source, asked, author } = by;
      const api = asked === undefined ? "" : ` (admin API: ${asked})`;
      const settings = settingChangesText(
        settingChanges(configAsFile(before), configAsFile(config)),
      );
      const reason = `${changes.join("; ")}${api}; configuration ${configurationHash(config)}`;
      void this.#membership.tell();
      const entry = { source, reason, ...(settings === "" ? {} : { changes: settings }) };
      await recordConfigChange(this.#activity, entry, author, this.#log);
    }
    return changes;
  }

  /** Logs the changed keys that stay as they were until a restart. */
  #tellRestart(before: GatewayConfig, asked: GatewayConfig): void {
    for (const key of changedKeys(before, asked, AT_START)) {
      this.#log.warn(`${key} has changed and takes effect after a restart`);
    }
  }

  /** Returns the parts that the gateway serves at each of its addresses. */
  #served(): ListenerParts {
    return {
      endpoints: this.#servers.endpoints,
      app: this.#app,
      bodies: this.#bodies,
      turnedAway: (turnedAway) => this.#turnedAway.note(turnedAway),
    };
  }

  /** Returns the parts that sign-in needs. */
  #signInParts(): OpenSignInParts {
    return {
      codes: this.#codes,
      store: this.#activity.consoleSessions,
      config: this.#inForce,
      address: () => ({ host: this.host, port: this.port }),
      append: (entries) => this.#activity.append(entries),
      rejected: (what) => this.#turnedAway.rejected(what),
      log: this.#log,
    };
  }

  /** Returns the parts that the routes need, except those of sign-in. */
  #api(): Omit<Api, keyof OpenedSignIn> {
    const { metrics = metricsOffPage } = this.#watchers.telemetry ?? {};
    return {
      admin: this.#admin,
      alerts: new AlertsApi(this.#watchers.alerts, this.#log),
      attention: new AttentionView({
        pins: this.#activity.pins,
        servers: () =>
          this.#inForce().servers.map(({ name }) => {
            const { state, error } = this.#servers.get(name)?.runtime.status.health ?? {};
            return { name, failed: state === "failed", error };
          }),
        alerts: () => this.#watchers.alerts.shown(),
        ask: (question, signal) => this.#activity.ask(question, undefined, signal),
      }),
      views: new ViewsApi(this.#activity.views),
      tools: this.#toolsApi,
      check: checkCalls({
        served: (name) => this.#servers.get(name)?.runtime,
        learn: (name) => this.#toolsApi.learn(name),
        activity: this.#activity,
        log: this.#log,
      }),
      metadata: (request, path) => {
        const jwt = this.#config?.auth.jwt;
        return jwt === undefined ? undefined : metadataAt(path, request, jwt);
      },
      metrics,
      // A request is checked by the settings in force when it arrives.
      activity: (question, signal) => {
        const config = this.#config;
        // The time to make these settings depends on the number of tools.
        const settings =
          JUDGED.has(question.operation) && config
            ? rolloutSettings(config, "in_force")
            : undefined;
        return this.#activity.ask(question, settings, signal);
      },
      readiness: () =>
        readinessOf({
          records: this.#activity,
          stopping: this.#stopping,
          states: this.#servers.states,
        }),
    };
  }

  close(options: CloseOptions = {}): Promise<void> {
    this.#closed ??= this.#close(options);
    return this.#closed;
  }

  async #close(options: CloseOptions): Promise<void> {
    await this.#reloading;
    this.#stopping = true;
    this.#leave();
    this.#operatorToken.remove();
    this.#reaching.stop();
    this.#addresses.stop();
    await this.#servers.answerTheRest(options);
    // SQLite only waits for the disk, and merges its journal into the database, so the limit is for a shared store.
    const bound = this.#isShared ? new ShutdownLimit(this.#activity.place) : undefined;
    const held = <T>(work: Promise<T>): Promise<T> => bound?.hold(work) ?? work;
    try {
      await held(this.#end());
    } finally {
      await this.#watchers.alerts.close();
      await this.#watchers.telemetry?.close();
      await this.#watchers.capture?.close();
      await held(this.#activity.close());
    }
  }

  get #isShared(): boolean {
    return this.#config?.activity.store !== undefined;
  }

  async #end(): Promise<void> {
    const left = this.#membership.leave();
    await this.#addresses.close();
    await this.#servers.close();
    await this.#posts.settled();
    await left;
    await this.#pauses.close();
    await this.#activity.stopReading();
    await this.#activity.append([{ type: "system_stop", source: "gateway", reason: "serve" }]);
  }

  /** Ends the parts of a failed start that have begun. */
  async end(): Promise<void> {
    this.#leave();
    this.#operatorToken.remove();
    await this.#pauses.close();
    await this.#membership.leave();
    await this.#addresses.close();
    await this.#servers.close();
    await this.#watchers.alerts.close();
    await this.#watchers.telemetry?.close();
    await this.#watchers.capture?.close();
    await this.#activity.close();
  }
}
