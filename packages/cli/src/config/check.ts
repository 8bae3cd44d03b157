import {
  type GatewayConfig,
  ignoredKeyHint,
  refusesTools,
  type UnmatchedPattern,
  unmatchedPatterns,
} from "@touchstone/gateway/config";
import { plural } from "@touchstone/util/plural";
import { configurationFiles, configuredGateway } from "../config-file/configured.ts";
import { noConfig, withFoundConfig } from "../config-file/default-config.ts";
import { reportSkippedServers } from "../config-file/skipped-servers.ts";
import { shortKeyText } from "../key/short-key.ts";
import type { ServeOptions } from "../options/common-options.ts";
import { findDataDir } from "../options/data-dir.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { safeText } from "../terminal/safe-text.ts";

/**
 * Reads the configuration as `serve` would and reports what it finds.
 * @throws ConfigError with all faults
 */
export async function runConfigCheck(given: ServeOptions, io: CliIo): Promise<void> {
  const options = withFoundConfig(given, "project", io);
  const files = configurationFiles(options);
  if (files.length === 0) throw noConfig("config check", io.env);
  const config = configuredGateway(options, io.env);
  const { servers, ignoredKeys, leftOut } = config;
  const enabled = servers.filter(({ disabled }) => !disabled).length;
  const wrapped = servers.filter(({ upstream }) => upstream.type === "wrap").length;
  const off = servers.length - enabled - wrapped;
  const out = leftOut.length === 0 ? [] : [`${leftOut.length} skipped`];
  const count = [
    plural(enabled, "server"),
    ...(off === 0 ? [] : [`${off} disabled`]),
    ...(wrapped === 0 ? [] : [`settings of ${wrapped} wrapped`]),
    ...out,
    "no server was started",
  ];
  const { shortKeys = [] } = config;
  const open = await unmatched(config, findDataDir(options, io.env));
  const warnings = ignoredKeys.length + shortKeys.length + open.length;
  const valid = warnings === 0 ? "valid" : `valid, with ${plural(warnings, "warning")}`;
  const verdict = leftOut.length === 0 ? valid : "can be served in part";
  io.stdout.write(`${files.map(safeText).join(", ")}: ${verdict} (${count.join(", ")})\n`);
  reportSkippedServers(
    leftOut,
    ({ name }, why) => io.stdout.write(`  skipped: ${safeText(name)}: ${safeText(why)}\n`),
    (more) => io.stdout.write(`  and ${more} more are skipped\n`),
  );
  for (const key of ignoredKeys) {
    io.stdout.write(`  not read: ${safeText(key)}${ignoredKeyHint(key)}\n`);
  }
  for (const key of shortKeys) {
    io.stdout.write(`  warning: ${shortKeyText(key)}\n`);
  }
  for (const { server, setting, pattern } of open) {
    const whose = server === undefined ? "any known tool" : `a known tool of ${safeText(server)}`;
    const text = safeText(JSON.stringify(pattern));
    io.stdout.write(`  policy: ${setting}: ${text} does not match ${whose}\n`);
  }
}

/** A pattern that matches no tool of a server, or of any server if none is named. */
interface Unmatched extends Omit<UnmatchedPattern, "level"> {
  readonly server: string | undefined;
}

/**
 * Returns the policy patterns that match no tool in the lists kept in the data directory. If the tools of a server
 * are not known there, top-level patterns cannot be checked.
 */
async function unmatched(
  { servers }: Pick<GatewayConfig, "servers">,
  dataDir: string | undefined,
): Promise<readonly Unmatched[]> {
  const asked = servers.filter(
    ({ disabled, settings }) => !disabled && refusesTools(settings.policy),
  );
  if (asked.length === 0 || dataDir === undefined) return [];
  const { openPlace } = await import("@touchstone/gateway/activity");
  const reader = await openPlace({ dataDir })
    .existing(() => {})
    .catch(() => undefined);
  if (reader === undefined) return [];
  try {
    const own: Unmatched[] = [];
    const atTop = new Map<string, { readonly found: Unmatched; servers: number }>();
    for (const { name: server, settings } of asked) {
      const names = [...(await reader.listedTools(server))];
      if (names.length === 0) continue;
      for (const { level, setting, pattern } of unmatchedPatterns(settings.policy, names)) {
        if (level === "server") own.push({ server, setting, pattern });
        if (level !== "top") continue;
        const found = { server: undefined, setting, pattern };
        const known = atTop.get(`${setting} ${pattern}`) ?? { found, servers: 0 };
        atTop.set(`${setting} ${pattern}`, { found, servers: known.servers + 1 });
      }
    }
    const everywhere = [...atTop.values()].filter((each) => each.servers === asked.length);
    return [...own, ...everywhere.map(({ found }) => found)];
  } catch {
    // The kept tools are only needed for advice, so errors are ignored.
    return [];
  } finally {
    await reader.close();
  }
}
