import { dirname } from "node:path";
import { isLoopback } from "@touchstone/util";
import { readAlerts } from "../features/alerts/read.ts";
import { activityOf } from "../settings/activity.ts";
import type { ConfigFile } from "../settings/schema.ts";
import { settingsOf } from "../settings/sections.ts";
import { DEFAULT_SETTINGS } from "../settings/validation.ts";
import { type ConfigFindings, checkFile } from "./check.ts";
import type { GatewayConfig } from "./config.ts";
import { disabledServerOf } from "./disabled.ts";
import type { JsonObject, Path } from "./document.ts";
import type { FaultList } from "./fault-list.ts";
import { readConfigFile } from "./file.ts";
import { readListen } from "./listen.ts";
import { expandSingleValues } from "./lists.ts";
import { addLevelFaults, mergeLevel } from "./merge.ts";
import { applyOverrides, type Overrides, withoutOverriddenPreset } from "./overrides.ts";
import { isClientKey, readServers } from "./servers.ts";
import { openSource } from "./source.ts";
import type { Environment } from "./variables.ts";

/** What a configuration depends on besides its file. */
export interface LoadOptions {
  /** The variables for `${NAME}`. Default: the process's environment. */
  readonly env?: Environment;
  /** Command-line options. Default: none. */
  readonly overrides?: Overrides;
}

/** {@link LoadOptions}, and the name of the text. */
export interface ParseOptions extends LoadOptions {
  /** The file's name in messages. */
  readonly file: string;
}

/**
 * Reads `touchstone.json`.
 *
 * @throws {ConfigError} with all faults of the file; nothing else
 */
export function loadConfig(path: string, options: LoadOptions = {}): GatewayConfig {
  return parseConfig(readConfigFile(path), { ...options, file: path });
}

/**
 * Reads the text of a `touchstone.json`: JSON with comments and trailing commas, at most 1 MiB. `env` and `overrides`
 * must be valid; the text may be anything.
 *
 * @throws {ConfigError} with all faults of the text; nothing else
 */
export function parseConfig(text: string, options: ParseOptions): GatewayConfig {
  const { file, env = process.env, overrides = {} } = options;
  const foreign = () => (path: Path) => path[0] === "$schema" || isClientKey(path, ["mcpServers"]);
  const source = openSource(text, { file, env, editorForms: false, foreign });
  const { written, faults } = source;
  const value = expandSingleValues(source.value);
  const findings = checkFile({ value, written }, faults);
  const { misshapen } = findings;
  const known = withoutOverriddenPreset(overrides, readable(findings, value));
  const folder = dirname(file);
  const at = { level: "top", path: [], folder, written: source.written, faults } as const;
  const global = mergeLevel(DEFAULT_SETTINGS, known, at);
  addLevelFaults(global, known, at);
  const context = { overrides, misshapen };
  const servers = readServers(value["mcpServers"], faults, {
    ...context,
    written: source.written,
    root: ["mcpServers"],
    settings: global,
    folder,
    forwardAuthorization: known.forward_authorization ?? false,
    takesWrapped: true,
  });
  const listening = readListen(value, faults, { ...context, written });
  if (listening.auth.jwt !== undefined) refuseForwarding(known, faults);
  const alerts = readAlerts(known.alerts, faults);
  faults.throwIfAny();
  const { preset = known.preset } = overrides;
  return {
    settings: applyOverrides(global, overrides),
    ...(preset === undefined ? {} : { preset }),
    ...servers,
    ...listening,
    activity: activityOf(known.activity, {
      isBeyondLoopback: !isLoopback(listening.listen.host),
    }),
    http: settingsOf("http", known.http),
    telemetry: settingsOf("telemetry", known.telemetry),
    limits: settingsOf("limits", known.limits),
    ...(known.logging === undefined ? {} : { logging: known.logging }),
    ...(alerts.length === 0 ? {} : { alerts }),
    ...(source.files.length === 0 ? {} : { secretFiles: source.files }),
  };
}

const FORWARDED =
  "an access token is for this gateway alone, so it is never forwarded; with auth.jwt, set a server's credentials in its headers";

/**
 * Adds a fault for each server to which a client's `Authorization` would be forwarded (MCP, Authorization, Token
 * Passthrough).
 */
function refuseForwarding(file: ConfigFile, faults: FaultList): void {
  const add = (path: Path): void => faults.add("CONFLICTING_KEYS", path, FORWARDED, "key");
  if (file.forward_authorization === true) add(["forward_authorization"]);
  for (const [name, { touchstone }] of Object.entries(file.mcpServers ?? {})) {
    if (touchstone?.forward_authorization === true) {
      add(["mcpServers", name, "touchstone", "forward_authorization"]);
    }
  }
}

/** Returns the file for further checks, or undefined if the schema's faults already make it invalid. */
function readable({ found }: ConfigFindings, value: JsonObject): ConfigFile {
  const disabledOf = disabledServerOf(value["mcpServers"], ["mcpServers"]);
  const isUsable = found.every(({ path, code }) => disabledOf(path, code) !== undefined);
  return isUsable ? (value as ConfigFile) : {};
}
