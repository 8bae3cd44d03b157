import { messageOf } from "@touchstone/core";
import { configAsFile } from "../config/as-file.ts";
import { changedKeys } from "../config/changed-keys.ts";
import type { GatewayConfig } from "../config/config.ts";
import { writeFault } from "../config/edit/writable.ts";
import { settingChanges, settingChangesText } from "../config/setting-changes.ts";
import { configurationHash } from "../fleet/configuration-hash.ts";
import type { Membership } from "../fleet/membership.ts";
import { noMetrics } from "../insight/telemetry/open.ts";
import { rolloutSettings } from "../policy/rollout-settings.ts";
import { stillBlocking, stillBlockingText } from "../policy/still-blocking.ts";
import type { Author } from "../records/author.ts";
import type { ActivitySource } from "../records/record.ts";
import { ownerOf } from "../relay/http/identity.ts";
import { PauseWatch } from "../relay/pause-watch.ts";
import { UnfinishedBodies } from "../transport/http/unfinished-bodies.ts";
import { ChildSlots } from "../transport/stdio/child-limits.ts";
import { noticeInstallation } from "../util/installation.ts";
import { lateImport, loadLate } from "../util/late-import.ts";
import type { Logger } from "../util/log.ts";
import { metadataAt } from "./access/protected-resource.ts";
import { addressOf, describeRules, reachableHost } from "./access/rules.ts";
import { Addresses, type Served } from "./addresses.ts";
import type { AdminApi } from "./admin/admin-api.ts";
import { OperatorTokenFile } from "./admin/operator-token.ts";
import { SignIn } from "./admin/sign-in.ts";
import { assemble, type Watchers } from "./assemble.ts";
import { checkCalls } from "./check-call.ts";
import type { CloseOptions } from "./draining-endpoint.ts";
import { type Gateway, type GatewayOptions, ReloadError } from "./gateway-options.ts";
import { LastBound } from "./last-bound.ts";
import type { LiveRecords } from "./live-records.ts";
import type { App } from "./mcp-routes.ts";
import { announce, consoleLink } from "./presence.ts";
import { type ReachedServer, Reaching } from "./reaching.ts";
import { readinessOf } from "./readiness.ts";
import { recordConfigChange } from "./record-config-change.ts";
import type { Api } from "./route.ts";
import type { PreparedServers, ServedServers } from "./served-servers.ts";
import type { Socket } from "./socket.ts";
import type { OwnPosts } from "./tools-api/own-posts.ts";
import { toolsApiSettings } from "./tools-api/settings.ts";
import type { ToolsApi } from "./tools-api/tools-api.ts";
import { TurnedAwayRecords } from "./turned-away.ts";

/** Who changes the configuration: its file, or a request to the admin API. */
interface Changer {
  readonly source: ActivitySource;
  readonly asked?: string;
  readonly author: Author;
}

/** What is opened once: the telemetry of a process, and the store of its records. */
const AT_START = ["telemetry", "activity.store"];

const appModule = lateImport(() => import("./app.ts"));

/** Returns the part of another configuration that a running gateway can apply. */
function runningWith(before: GatewayConfig, asked: GatewayConfig): GatewayConfig {
  const { store: _, ...activity } = asked.activity;
  const { store } = before.activity;
  return {
    ...asked,
    telemetry: before.telemetry,
    activity: store === undefined ? activity : { ...activity, store },
  };
}

/** A gateway from its start to the end. */
export class RunningGateway implements Gateway {
  readonly #activity: LiveRecords;
  readonly #watchers: Watchers;
  readonly #log: Logger;
  readonly #servers: ServedServers;
  readonly #posts: OwnPosts;
  readonly #toolsApi: ToolsApi;
  readonly #children: ChildSlots;
  readonly #bodies: UnfinishedBodies;
  readonly #admin: AdminApi;
  readonly #membership: Membership;
  readonly #turnedAway: TurnedAwayRecords;
  readonly #addresses: Addresses;
  /** Loaded with its first request, so that a new gateway answers MCP clients sooner. */
  readonly #app: App = async (...asked) => {
    this.#loaded ??= appModule().then(({ createApp }) => createApp(this.#api(), this.#log));
    return (await this.#loaded)(...asked);
  };
  #loaded: Promise<App> | undefined;
  readonly #signIn: SignIn;
  readonly #pauses: PauseWatch;
  readonly #dataDir: string;
  readonly #operatorToken: OperatorTokenFile;
  #leave: () => void = () => {};
  readonly #reaching: Reaching;
  /** The configuration in force. */
  #config: GatewayConfig | undefined;
  /** The latest requested configuration: parts of it may wait for a restart. */
  #asked: GatewayConfig | undefined;
  #stopping = false;
  #closed: Promise<void> | undefined;
  #reloading: Promise<unknown> = Promise.resolve();

  constructor(options: GatewayOptions, activity: LiveRecords, watchers: Watchers) {
    const { config, dataDir, log, source, signIn = new SignIn() } = options;
    this.#signIn = signIn;
    this.#dataDir = dataDir;
    this.#operatorToken = new OperatorTokenFile(dataDir, signIn.startToken, log);
    this.#activity = activity;
    this.#watchers = watchers;
    this.#children = new ChildSlots(config.limits.children);
    this.#log = log;
    this.#bodies = new UnfinishedBodies({
      limits: config.limits,
      times: options.bodyTimes,
      callerOf: ownerOf,
      log,
    });
    this.#turnedAway = new TurnedAwayRecords({
      append: (entries) => activity.append(entries),
      log,
    });
    this.#addresses = new Addresses(() => this.#served(), this.#signIn, log);
    this.#pauses = new PauseWatch({
      dataDir,
      log,
      append: (entries) => activity.append(entries),
      servers: () => [...this.#servers.endpoints.keys()],
      stillBlocking: (server, policy) => {
        const served = (this.#config ?? config).servers.filter(
          ({ name, disabled }) => !disabled && (server === undefined || name === server),
        );
        return stillBlockingText(stillBlocking(served, policy));
      },
      mayChangePolicy: () => source !== undefined && writeFault(source.file) === undefined,
    });
    const parts = assemble(options, activity, watchers, {
      children: this.#children,
      bodies: this.#bodies,
      config: () => this.#config ?? config,
      address: () => ({ host: this.host, port: this.port }),
      signIn: this.#signIn,
      pause: (server) => this.#pauses.of(server),
      change: (changed, asked, author) => this.#queue(changed, { source: "http", asked, author }),
    });
    this.#servers = parts.servers;
    this.#posts = parts.posts;
    this.#toolsApi = parts.toolsApi;
    this.#membership = parts.membership;
    this.#admin = parts.admin;
    this.#reaching = new Reaching({
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
    return `http://${addressOf(this)}/`;
  }

  consoleLink(page = ""): string {
    return consoleLink(this.#ownUrl, page, this.#signIn.issue());
  }

  /** Its URL on this machine. */
  get #ownUrl(): string {
    return `http://${addressOf({ host: reachableHost(this.host), port: this.port })}/`;
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

  async reach(patience?: number): Promise<readonly ReachedServer[]> {
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
      await loadLate();
      // What was loaded last may already be of another version.
      const changed = noticeInstallation();
      if (changed !== undefined) throw changed;
      this.#log.debug("all parts are loaded: an upgrade may replace the files");
    } catch (error) {
      this.#log.warn("a part of the gateway cannot be loaded", { reason: messageOf(error) });
    }
  }

  /** Commands on the same data directory find the gateway by it; if it cannot be written, they do not. */
  #announce(): void {
    this.#leave();
    this.#leave = () => {};
    try {
      this.#leave = announce(this.#dataDir, this.#ownUrl, this.#signIn.localSecret);
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
    // Nobody would end what is begun now.
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

  /** What is served at every address of the gateway. */
  #served(): Served {
    return {
      endpoints: this.#servers.endpoints,
      app: this.#app,
      bodies: this.#bodies,
      turnedAway: (turnedAway) => this.#turnedAway.note(turnedAway),
    };
  }

  /** What the routes use. */
  #api(): Api {
    const { metrics = noMetrics } = this.#watchers.telemetry ?? {};
    return {
      admin: this.#admin,
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
      // A request is checked by the settings in force when it comes.
      activity: (question, signal) => {
        const config = this.#config;
        // Making them takes time by the number of tools.
        const isJudged = question.operation === "rollout" || question.operation === "overview";
        const settings = isJudged && config ? rolloutSettings(config, true) : undefined;
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
    // Waits for the disk: the rest is folded into its database.
    const bound = this.#isShared ? new LastBound(this.#activity.place) : undefined;
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
