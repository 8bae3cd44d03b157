import { createHash } from "node:crypto";
import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import { shownUpstream } from "../config/shown-upstream.ts";
import { looksRandom } from "../config/shown-url.ts";
import { canonicalJson } from "../records/canonical.ts";

/**
 * `sha256:` and the hex digest over what a configuration says, in canonical JSON (RFC 8785). Two
 * gateways with the same one judge and record alike. Left out are secrets, so that none can be
 * guessed from it, and what is each machine's own: the address that is listened on, and where the
 * records are. The order in which servers and tools stand does not count.
 */
export function configurationHash(config: GatewayConfig): string {
  const { settings, capability, http, limits, telemetry } = config;
  const { allowedHosts, allowedOrigins } = config.listen;
  const { store, ...records } = config.activity;
  const held = {
    ...{ settings, capability, http, limits, telemetry, allowedHosts, allowedOrigins },
    auth: config.auth.apiKey === undefined ? "unset" : "set",
    ...callersIn(config),
    activity: { ...records, store: store === undefined ? "sqlite" : "postgresql" },
    servers: Object.fromEntries(
      // Faults report the machine: how its file is named, which of its variables are set.
      config.servers.map(({ faults: _, ...server }) => [
        server.name,
        {
          ...server,
          upstream: { ...ownWay(server), ...shownUpstream(server, looksRandom) },
          tools: Object.fromEntries(server.tools),
        },
      ]),
    ),
  };
  return `sha256:${createHash("sha256").update(canonicalJson(held)).digest("hex")}`;
}

/** Returns who may call what, without the hashes of keys; nothing if callers are not told apart. */
function callersIn({ auth: { keys, jwt } }: GatewayConfig): object {
  return {
    ...(keys === undefined ? {} : { callers: keys.map(({ hash: _, ...caller }) => caller) }),
    ...(jwt === undefined ? {} : { jwt }),
  };
}

/** Returns what is not a secret of the way to a server, and not shown. */
function ownWay({ upstream }: ServerConfig): object {
  if (upstream.type === "stdio") return { cwd: upstream.cwd };
  if (upstream.type === "wrap") return {};
  return { forwardAuthorization: upstream.forwardAuthorization === true };
}
