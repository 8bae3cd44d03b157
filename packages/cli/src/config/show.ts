import {
  type AlertRule,
  type ConfigFile,
  configAsFile,
  type GatewayConfig,
  type ServerConfig,
  withoutKnownSecrets,
} from "@touchstone/gateway/config";
import { configuredGateway } from "../config-file/configured.ts";
import { withFoundConfig } from "../config-file/default-config.ts";
import { reportSkippedServers } from "../config-file/skipped-servers.ts";
import type { ServeOptions } from "../options/common-options.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { safeText } from "../terminal/safe-text.ts";
import { terminalJson } from "../terminal/serialise.ts";
import { toYaml } from "../terminal/yaml.ts";
import { presetsText } from "./presets.ts";
import { HIDDEN_VALUE, hideInUrl, hideSecrets } from "./secrets.ts";

function hidden(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, HIDDEN_VALUE]));
}

function shownServer(server: ServerConfig): ServerConfig {
  const { upstream } = server;
  if (upstream.type === "wrap") return server;
  const shown =
    upstream.type === "http"
      ? { ...upstream, url: hideInUrl(upstream.url), headers: hidden(upstream.headers) }
      : {
          ...upstream,
          args: hideSecrets([upstream.command, ...upstream.args]).slice(1),
          env: hidden(upstream.env),
        };
  return { ...server, upstream: shown };
}

/** The path of a webhook's URL is often a secret, as with Slack. */
function shownAlert({ to, ...rule }: AlertRule): AlertRule {
  if ("command" in to) return { ...rule, to: { command: hideSecrets(to.command) } };
  const { secret, url, ...webhook } = to.webhook;
  const { origin, pathname, search } = new URL(url);
  const shown = pathname + search === "/" ? url : `${origin}/${HIDDEN_VALUE}`;
  const hidden = secret === undefined ? {} : { secret: HIDDEN_VALUE };
  return { ...rule, to: { webhook: { ...webhook, url: shown, ...hidden } } };
}

function shownConfig({ servers, auth, activity, alerts, ...rest }: GatewayConfig): GatewayConfig {
  const { store } = activity;
  return {
    ...rest,
    auth: {
      ...auth,
      ...(auth.apiKey === undefined ? {} : { apiKey: HIDDEN_VALUE }),
      ...(auth.adminKey === undefined ? {} : { adminKey: HIDDEN_VALUE }),
    },
    activity: { ...activity, ...(store === undefined ? {} : { store: hideInUrl(store) }) },
    servers: servers.map(shownServer),
    ...(alerts === undefined ? {} : { alerts: alerts.map(shownAlert) }),
  };
}

/** Returns a file with the schemas of `narrow` as written, because a variable in them may contain a secret. */
function withNarrowAsWritten(file: ConfigFile, { servers }: Pick<GatewayConfig, "servers">) {
  const entries = servers.map(({ name, tools }) => {
    const entry = file.mcpServers?.[name];
    const shown = Object.entries(entry?.touchstone?.tools ?? {}).map(([tool, sections]) => {
      const narrow = tools.get(tool)?.policy?.narrow?.written;
      return [tool, narrow === undefined ? sections : { ...sections, narrow }];
    });
    if (shown.length === 0) return [name, entry];
    const touchstone = { ...entry?.touchstone, tools: Object.fromEntries(shown) };
    return [name, { ...entry, touchstone }];
  });
  return { ...file, mcpServers: Object.fromEntries(entries) };
}

/**
 * Returns the effective configuration as a complete file: defaults filled in, levels merged and variables
 * substituted, except in schemas of `narrow`. Values that may be secret are hidden. A file with {@link HIDDEN_VALUE}
 * as its API key is refused, so that nobody runs a gateway with a key that everyone knows.
 * @throws ConfigError with all faults
 */
export function runConfigShow(
  given: ServeOptions & { readonly output: "json" | "yaml" },
  io: CliIo,
): void {
  const options = withFoundConfig(given, "project", io);
  const { leftOut, ...config } = configuredGateway(options, io.env);
  reportSkippedServers(
    leftOut,
    ({ name }, why) =>
      io.stderr.write(`touchstone: skipped: ${safeText(name)}: ${safeText(why)}\n`),
    (more) => io.stderr.write(`touchstone: and ${more} more are skipped\n`),
  );
  const file = withNarrowAsWritten(configAsFile(shownConfig(config)), config);
  const keys = file.auth?.keys?.map((entry) => ({ ...entry, key: HIDDEN_VALUE }));
  const shown = keys === undefined ? file : { ...file, auth: { ...file.auth, keys } };
  const visible = withoutFileTexts(shown);
  io.stderr.write(presetsText(config));
  io.stdout.write(options.output === "yaml" ? toYaml(visible) : terminalJson(visible, "lines"));
}

/** Hides texts from files of `${file:PATH}` in all values. */
function withoutFileTexts(value: unknown): unknown {
  if (typeof value === "string") return withoutKnownSecrets(value, () => HIDDEN_VALUE);
  if (Array.isArray(value)) return value.map(withoutFileTexts);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutFileTexts(member)]));
}
