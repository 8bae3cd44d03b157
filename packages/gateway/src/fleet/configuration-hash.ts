import { createHash } from "node:crypto";
import { canonicalJson } from "@touchstone/records/plain";
import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import { shownUpstream } from "../config/shown-upstream.ts";
import { looksGenerated } from "../config/shown-url.ts";

/**
 * Returns `sha256:` and the hex digest of a configuration in canonical JSON (RFC 8785). Two gateways with the same
 * hash check and record alike. It leaves out secrets, so that none can be guessed from it, and settings that depend
 * on the machine: the address to listen at, and the place of the records. The order of servers and tools does not
 * matter.
 */
export function configurationHash(config: GatewayConfig): string {
  const { settings, http, limits, telemetry } = config;
  const { allowedHosts, allowedOrigins, allowedHeaders } = config.listen;
  const { store, ...records } = config.activity;
  const held = {
    ...{ settings, http, limits, telemetry, allowedHosts, allowedOrigins },
    // Left out if empty, so that adding this setting does not change the hashes of existing configurations.
    ...(allowedHeaders.length > 0 && { allowedHeaders }),
    auth: config.auth.apiKey === undefined ? "unset" : "set",
    ...callersIn(config),
    activity: { ...records, store: store === undefined ? "sqlite" : "postgresql" },
    servers: Object.fromEntries(
      // Faults depend on the machine: on the file's path, and on the variables that are set.
      config.servers.map(({ faults: _, ...server }) => [
        server.name,
        {
          ...server,
          upstream: { ...ownWay(server), ...shownUpstream(server, looksGenerated) },
          tools: Object.fromEntries(server.tools),
        },
      ]),
    ),
  };
  return `sha256:${createHash("sha256").update(canonicalJson(held)).digest("hex")}`;
}

/** Returns who may call what and who signs in, without hashes of keys and client secrets. */
function callersIn({ auth: { keys, jwt, oidc } }: GatewayConfig): object {
  return {
    ...(keys === undefined ? {} : { callers: keys.map(({ hash: _, ...caller }) => caller) }),
    ...(jwt === undefined ? {} : { jwt }),
    ...(oidc && { oidc: oidc.map(({ clientSecret: _, ...provider }) => provider) }),
  };
}

/** Returns the settings of an upstream that {@link shownUpstream} leaves out although they are not secret. */
function ownWay({ upstream }: ServerConfig): object {
  if (upstream.type === "stdio") return { cwd: upstream.cwd };
  if (upstream.type === "wrap") return {};
  return { forwardAuthorization: upstream.forwardAuthorization === true };
}
