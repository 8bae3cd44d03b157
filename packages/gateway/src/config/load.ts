import { DEFAULT_SETTINGS } from "../policy/settings.ts";
import { readActivity } from "./activity.ts";
import { readAlerts } from "./alerts.ts";
import type { GatewayConfig } from "./config.ts";
import type { ConfigFile } from "./config-file.ts";
import { DEFAULT_LIMITS } from "./defaults.ts";
import { disabledServerOf } from "./disabled.ts";
import type { JsonObject, Path } from "./document.ts";
import { readConfigFile } from "./file.ts";
import { readListen } from "./listen.ts";
import { mergeLevel } from "./merge.ts";
import { applyOverrides, type Overrides } from "./overrides.ts";
import { isForeignKey, readServers } from "./servers.ts";
import { addShapeFaults } from "./shape/faults.ts";
import { misshapenPaths, type Shaped, shapeOfFile } from "./shape/shape.ts";
import { openSource } from "./source.ts";
import { readTelemetry } from "./telemetry.ts";
import type { Environment } from "./variables.ts";

/** What a configuration takes from around its file. */
export interface LoadOptions {
  /** Where `${NAME}` looks. Default: the process's environment. */
  readonly env?: Environment;
  /** What the operator typed. Default: nothing. */
  readonly overrides?: Overrides;
}

/** {@link LoadOptions}, and the name of the text. */
export interface ParseOptions extends LoadOptions {
  /** How messages name the text. */
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
 * Reads the text of a `touchstone.json`: JSON with comments and trailing commas, at most 1 MiB.
 * `env` and `overrides` must be sound; everything in the text is doubted.
 *
 * @throws {ConfigError} with all faults of the text; nothing else
 */
export function parseConfig(text: string, options: ParseOptions): GatewayConfig {
  const { file, env = process.env, overrides = {} } = options;
  const foreign = () => (path: Path) => path[0] === "$schema" || isForeignKey(path, ["mcpServers"]);
  const source = openSource(text, { file, env, editorForms: false, foreign });
  const { value, written, faults } = source;
  const shaped = shapeOfFile(value);
  const misshapen = misshapenPaths(shaped, []);
  if ("issues" in shaped) addShapeFaults(shaped.issues, [], value, written, faults);

  const known = readable(shaped, value);
  const global = mergeLevel(DEFAULT_SETTINGS, known);
  const context = { overrides, misshapen };
  const capability = known.capability ?? "pass";
  const servers = readServers(value["mcpServers"], faults, {
    ...context,
    root: ["mcpServers"],
    settings: global,
    forwardAuthorization: known.forward_authorization ?? false,
    capability,
    takesWrapped: true,
  });
  const listening = readListen(value, faults, context);
  const alerts = readAlerts(known.alerts, faults);
  faults.throwIfAny();
  const { call_timeout: callTimeout, concurrent_calls: concurrentCalls } = known.limits ?? {};
  return {
    settings: applyOverrides(global, overrides),
    capability,
    ...servers,
    ...listening,
    activity: readActivity(known.activity),
    http: { allowExecute: known.http?.allow_execute ?? false },
    telemetry: readTelemetry(known.telemetry),
    ...(known.logging === undefined ? {} : { logging: known.logging }),
    ...(alerts.length === 0 ? {} : { alerts }),
    limits: {
      requestBytes: known.limits?.request_bytes ?? DEFAULT_LIMITS.requestBytes,
      upstreamFrameBytes: known.limits?.upstream_frame_bytes ?? DEFAULT_LIMITS.upstreamFrameBytes,
      sessions: known.limits?.sessions ?? DEFAULT_LIMITS.sessions,
      children: known.limits?.children ?? DEFAULT_LIMITS.children,
      tools: known.limits?.tools ?? DEFAULT_LIMITS.tools,
      objectKeys: known.limits?.object_keys ?? DEFAULT_LIMITS.objectKeys,
      messageKeys: known.limits?.message_keys ?? DEFAULT_LIMITS.messageKeys,
      ...(callTimeout === undefined ? {} : { callTimeout }),
      ...(concurrentCalls === undefined ? {} : { concurrentCalls }),
    },
  };
}

/** The file to read on: all of it, or nothing where it will be refused for its shape. */
function readable(shaped: Shaped<ConfigFile>, value: JsonObject): ConfigFile {
  if ("value" in shaped) return shaped.value;
  const disabledOf = disabledServerOf(value["mcpServers"], ["mcpServers"]);
  const isLetPass = shaped.issues.every(({ path, code }) => disabledOf(path, code) !== undefined);
  return isLetPass ? (value as ConfigFile) : {};
}
