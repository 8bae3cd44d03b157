import { isDeepStrictEqual } from "node:util";
import { messageOf } from "@touchstone/core/plain";
import type { ActivityEntry } from "@touchstone/records/record";
import { installationChanged, type Logger } from "@touchstone/util";
import type { ServerConfig } from "../config/config.ts";
import { serverEntry } from "../config/config-to-file.ts";
import { writeFault } from "../config/edit/writable.ts";
import { settingChanges, settingChangesText } from "../config/setting-changes.ts";
import { capabilityOf } from "../features/capability/capability.ts";
import type { DriftCollector } from "../features/drift/collector.ts";
import { startCapture } from "../insight/capture/to-file.ts";
import { gatewayCache, openTelemetry } from "../insight/telemetry/open.ts";
import type { Telemetry } from "../insight/telemetry/telemetry.ts";
import { telemetryTaps } from "../insight/telemetry/telemetry-tap.ts";
import type { AddedValidation } from "../pipeline/added-validation.ts";
import type { Conversation } from "../pipeline/pipeline.ts";
import type { Capture } from "../pipeline/tap.ts";
import { stillBlocking, stillBlockingText } from "../policy/still-blocking.ts";
import { PauseWatch } from "../relay/pause-watch.ts";
import { callLimits } from "../relay/server-context.ts";
import { ServerRuntime } from "../relay/server-runtime.ts";
import { relayStdio } from "../relay/stdio/client.ts";
import { DEFAULT_ACTIVITY, KEPT_BY_DEFAULT } from "../settings/activity.ts";
import type { ConfigFile } from "../settings/schema.ts";
import { DEFAULT_LIMITS } from "../settings/sections.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import type { LinkEnd, LinkEvents, ServerLink } from "../transport/link.ts";
import { Alerts } from "./alerts/alerts.ts";
import { recordConfigChange } from "./record-config-change.ts";
import { openRecords, type RecordTap, shownStorePlace, storePlace } from "./records.ts";
import { ShutdownLimit } from "./shutdown-limit.ts";
import { validationFor } from "./validation.ts";
import type { WrapParts, WrapRules, WrapUrlOptions } from "./wrap-options.ts";

/** How a server is reached. */
export interface WrappedServer {
  /** Opens the link, or takes over an existing one. */
  readonly connect: (events: LinkEvents, conversation: Conversation) => ServerLink;
  /** Whether the transport repeats arguments in headers. */
  readonly repeatsArguments?: boolean;
  /** The server's address; default: a command. */
  readonly upstream?: ServerConfig["upstream"];
}

/**
 * Relays messages between a client and a server, and records them. Resolves when both have left.
 * @throws ActivityError if the records cannot be written, CaptureError if the capture cannot, TelemetryError if
 *   telemetry needs a package that is not installed
 */
export async function relayWrapped(
  options: WrapParts & Pick<WrapUrlOptions, "env">,
  { connect, repeatsArguments = false, upstream }: WrappedServer,
): Promise<LinkEnd> {
  const { name, log } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const settings = options.activity ?? DEFAULT_ACTIVITY;
  let telemetry: Telemetry | undefined;
  const alerts = new Alerts({
    env: options.env ?? {},
    log,
    count: (when, outcome) => telemetry?.alerted(when, outcome),
  });
  alerts.update(options.alerts);
  const tap: RecordTap = (records) => {
    if (alerts.isOn) alerts.take(records);
  };
  const activity = await openRecords(settings, options.dataDir, log, tap);
  let capture: Capture | undefined;
  let drift: DriftCollector | undefined;
  let bound: ShutdownLimit | undefined;
  let pauses: PauseWatch | undefined;
  const held = <T>(work: Promise<T>): Promise<T> => bound?.hold(work) ?? work;
  // The client would not restart the wrapped server, so it continues to run.
  const tellChanged = (): void => log.error(`${name}: ${messageOf(installationChanged.reason)}`);
  installationChanged.addEventListener("abort", tellChanged);
  const closeRecords = async (): Promise<void> => {
    await pauses?.close();
    await drift?.close();
    await activity.close();
  };
  try {
    if (settings.drift) {
      const { DriftCollector } = await import("../features/drift/collector.ts");
      drift = new DriftCollector(activity.shapes, log);
    }
    capture = await startCapture(options.capture, log);
    if (options.telemetry !== undefined) {
      const { env, settings: told } = options.telemetry;
      // There is no listener that could serve metrics.
      telemetry = await openTelemetry({
        settings: { ...told, metrics: false },
        env,
        log,
        place: storePlace(settings, options.dataDir),
      });
    }
    await activity.append([
      { type: "system_start", source: "gateway", server: name, reason: "wrap" },
    ]);
    const { contracts, pins } = activity;
    const { configFile } = options;
    const validation = await validationFor({ name, settings: options.settings }, log);
    const tools = options.tools ?? new Map();
    const live: Live = {
      settings: options.settings,
      tools,
      validation,
      alerts: options.alerts,
    };
    pauses = new PauseWatch({
      dataDir: options.dataDir,
      log,
      append: (entries) => activity.append(entries),
      servers: () => [name],
      isSingle: true,
      stillBlocking: (_, policy) =>
        stillBlockingText(
          stillBlocking([{ settings: live.settings, tools: live.tools ?? new Map() }], policy, {}),
        ),
      mayChangePolicy: () => configFile !== undefined && writeFault(configFile) === undefined,
    });
    const follows = pauses;
    const runtime = new ServerRuntime(
      {
        name,
        settings: options.settings,
        tools,
        ...callLimits(limits),
        validation,
        upstream,
      },
      {
        activity,
        bodies: () => settings.bodies,
        drift: drift && (() => drift),
        contracts,
        pins,
        cache: gatewayCache(telemetry),
        pause: (server) => follows.of(server),
        log,
        telemetry: telemetry && telemetryTaps(telemetry, "pipe"),
        ...(capture === undefined ? {} : { capture }),
      },
    );
    log.info(`${name}: checking ${describe(options.settings)}`, {
      records: shownStorePlace(settings, options.dataDir),
    });
    if (settings.bodies === "failed") log.info(KEPT_BY_DEFAULT);
    pauses.begin();
    let taking: Promise<unknown> = Promise.resolve();
    options.changes?.((rules, file = "touchstone.json") => {
      // Changes are applied one after the other, because some take longer to prepare than later ones.
      const taken = taking.then(async () => {
        const before = ruleFile(name, live);
        const changes = await takeRules(runtime, live, rules, log);
        alerts.update(rules.alerts);
        if (changes.length === 0) return changes;
        const settings = settingChangesText(settingChanges(before, ruleFile(name, live)));
        const entry = {
          ...({ source: "gateway", server: name, reason: changes.join("; ") } as const),
          ...(settings === "" ? {} : { changes: settings }),
        };
        await recordConfigChange(activity, entry, { actor: `file ${file}` }, log);
        return changes;
      });
      taking = taken.catch(() => {});
      return taken;
    });
    const caller = options.caller === undefined ? undefined : { name: options.caller };
    const conversation: Conversation = {
      ...runtime.ownConversation(),
      repeatsArguments,
      whole: true,
      caller,
    };
    const end = await relayStdio({
      connect: (events) => connect(events, conversation),
      maxFrameBytes: limits.upstreamFrameBytes,
      input: options.input,
      output: options.output,
      maxRequestBytes: limits.requestBytes,
      bridge: runtime.bridges ? runtime : undefined,
      pipeline: (ask) => runtime.pipeline(conversation, ask),
      watch: (changed) => runtime.watchHeld(changed),
      signal: options.signal,
    });
    // Waits for the disk.
    if (settings.store !== undefined)
      bound = new ShutdownLimit(shownStorePlace(settings, options.dataDir));
    const entries: ActivityEntry[] = [];
    if (!endedWell(end)) {
      log.error(`${name}: ${end.failedToStart ? "" : "server "}${end.reason}`);
      const reason = `server ${end.reason}`;
      entries.push({
        type: "server_change",
        source: "gateway",
        server: name,
        status: "error",
        reason,
      });
    }
    entries.push({ type: "system_stop", source: "gateway", server: name, reason: "wrap" });
    await held(runtime.learned().then(() => activity.append(entries)));
    return end;
  } finally {
    installationChanged.removeEventListener("abort", tellChanged);
    await alerts.close();
    await telemetry?.close();
    await capture?.close();
    await held(closeRecords());
  }
}

/** The rules in force for a wrapped server. */
interface Live {
  settings: ValidationSettings;
  tools: ReadonlyMap<string, ValidationSettings>;
  validation: AddedValidation | undefined;
  alerts: WrapRules["alerts"];
}

/** Returns the rules in force in the form of a configuration file. */
function ruleFile(name: string, { settings, tools }: Live): ConfigFile {
  const server = { name, upstream: { type: "wrap" }, disabled: false, settings, tools };
  return { mcpServers: { [name]: serverEntry(server as ServerConfig, settings) } };
}

/** Applies other rules from the next message on. @returns what has changed, one line each */
async function takeRules(
  runtime: ServerRuntime,
  live: Live,
  { settings, tools = new Map(), alerts }: WrapRules,
  log: Logger,
): Promise<readonly string[]> {
  const { name } = runtime;
  const changes: string[] = [];
  const mode = capabilityOf(settings);
  const before = [withoutCapability(live.settings), live.tools];
  if (!isDeepStrictEqual(before, [withoutCapability(settings), tools])) {
    changes.push(`${name} has new settings: ${describe(settings)}`);
  }
  if (capabilityOf(live.settings) !== mode) {
    changes.push(`validation is ${mode === "add" ? "added to" : "no longer added to"} ${name}`);
    live.validation = await validationFor({ name, settings }, log);
  }
  if (!isDeepStrictEqual(live.alerts, alerts)) changes.push("the alerts have changed");
  Object.assign(live, { settings, tools, alerts });
  runtime.update(live);
  return changes;
}

function withoutCapability({ capability: _, ...others }: ValidationSettings): ValidationSettings {
  return others;
}

function describe({ input, output, protocol }: ValidationSettings): string {
  return `input ${input.mode}, output ${output.mode}, protocol ${protocol.mode}`;
}

function endedWell({ exitCode, failedToStart, stopped }: LinkEnd): boolean {
  if (failedToStart) return false;
  return exitCode === undefined ? stopped === true : exitCode === 0;
}
