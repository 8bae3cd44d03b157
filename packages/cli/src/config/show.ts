import type { GatewayConfig, ServerConfig } from "@touchstone/gateway/config";
import type { ServeOptions } from "../common-options.ts";
import { configuredGateway } from "../configured.ts";
import type { CliIo } from "../io.ts";
import { toJson, toYaml } from "../terminal/serialise.ts";
import { HIDDEN, hideSecrets } from "./secrets.ts";

function values(names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(names).map((name) => [name, HIDDEN]));
}

function shownServer({ upstream, disabled, capability, settings, tools }: ServerConfig): unknown {
  const shown =
    upstream.type === "http"
      ? { ...upstream, headers: values(upstream.headers) }
      : { ...upstream, args: hideSecrets(upstream.args), env: values(upstream.env) };
  return { disabled, upstream: shown, capability, settings, tools: Object.fromEntries(tools) };
}

function shownConfig({ servers, auth, settings, ...rest }: GatewayConfig): unknown {
  return {
    ...rest,
    auth: auth.apiKey === undefined ? {} : { apiKey: HIDDEN },
    settings,
    servers: Object.fromEntries(servers.map((server) => [server.name, shownServer(server)])),
  };
}

/**
 * Shows the configuration as it holds: defaults filled in, levels merged, variables put in. Values
 * that may be secret are not shown.
 * @throws ConfigError with all faults
 */
export function runConfigShow(
  options: ServeOptions & { readonly format: "json" | "yaml" },
  io: CliIo,
): void {
  const shown = shownConfig(configuredGateway(options, io.env));
  io.stdout.write(options.format === "yaml" ? toYaml(shown) : toJson(shown, "lines"));
}
