import { isDeepStrictEqual } from "node:util";
import type { Logger } from "@touchstone/util";
import { rememberKeySecrets } from "../../config/callers.ts";
import type { CallerKey, CallerRights, GatewayConfig } from "../../config/config.ts";
import { callerPolicy } from "../../features/caller.ts";
import type { Identity } from "../../relay/http/identity.ts";
import type { ListenerOptions } from "../listener.ts";
import type { SignInCodes } from "../sign-in/codes.ts";
import { type AccessRules, type KeyRule, sameSecret } from "./access.ts";
import { Tokens } from "./tokens.ts";

/** The rules of a socket, which may change while it listens. */
export type Rules = Pick<ListenerOptions, "access" | "maxRequestBytes" | "idleMs">;

export function rulesOf(
  {
    listen: { allowedHosts, allowedOrigins, allowedHeaders, idleTimeout },
    auth,
    limits,
  }: GatewayConfig,
  {
    codes,
    tokens,
  }: Required<Pick<AccessRules, "tokens">> & {
    readonly codes: Pick<SignInCodes, "accepts" | "isStartToken">;
  },
): Rules {
  return {
    access: {
      allowedHosts,
      allowedOrigins,
      allowedHeaders,
      ...(auth.apiKey === undefined ? {} : { apiKey: auth.apiKey }),
      keys: auth.keys?.map((key) => keyRule(key, tokens !== undefined)) ?? [],
      tokens,
      operatorKey: (key) => {
        const isToken = codes.accepts(key);
        const isStart = codes.isStartToken(key);
        if (auth.adminKey !== undefined && sameSecret(key, auth.adminKey)) return "auth.admin_key";
        // A copy of the token from before the admin key was set must not be accepted after the token's file was
        // removed.
        return isToken || (isStart && auth.adminKey === undefined) ? "operator token" : undefined;
      },
    },
    maxRequestBytes: limits.requestBytes,
    idleMs: idleTimeout,
  };
}

/** Returns the caller of a key by its name, with the servers that it may reach (all if absent); undefined if none has it. */
export function callerNamed(
  { auth }: GatewayConfig,
  name: string,
): Pick<Identity, "caller" | "servers"> | undefined {
  const key = auth.keys?.find((one) => one.name === name);
  return key && identityFor(name, key);
}

/** Returns the identity of a caller with a key. */
export function callerIdentity(
  { name, hash: _, ...rights }: CallerKey,
  takesTokens: boolean,
): Identity {
  return { ...identityFor(name, rights), credential: "auth.keys", takesTokens };
}

function keyRule(key: CallerKey, takesTokens: boolean): KeyRule {
  const identity = callerIdentity(key, takesTokens);
  let isKnown = false;
  return {
    digest: Buffer.from(key.hash, "hex"),
    identity,
    // From then on, the key is redacted in names, log lines and records.
    seen(text) {
      if (!isKnown) rememberKeySecrets({ api_key: text });
      isKnown = true;
    },
  };
}

/** Returns a verifier of the configuration's access tokens; undefined if it accepts none. */
export function tokensOf({ auth }: GatewayConfig, log: Logger): Tokens | undefined {
  const { jwt, keys = [] } = auth;
  if (jwt === undefined) return undefined;
  return new Tokens(jwt, {
    // Each token supplies the name.
    allowed: { ...identityFor("", jwt), credential: "access token", takesTokens: true },
    names: new Set(keys.map(({ name }) => name)),
    log,
  });
}

/** Returns whether a configuration lets some callers use other tools than others. */
export function callersDiffer({ auth: { keys = [], jwt } }: GatewayConfig): boolean {
  const isLimited = ({ tools, readOnly }: CallerRights): boolean =>
    tools !== undefined || readOnly !== undefined;
  return (
    keys.some(isLimited) || (jwt !== undefined && (isLimited(jwt) || jwt.toolsClaim !== undefined))
  );
}

/** Returns the identity of a caller with this name and permissions. */
function identityFor(
  name: string,
  { role, servers, tools, readOnly, limits }: CallerRights & Pick<CallerKey, "limits">,
): Identity {
  const policy = callerPolicy({ tools, readOnly });
  return {
    role,
    caller: {
      name,
      ...(Object.keys(policy).length === 0 ? {} : { policy }),
      ...(limits === undefined ? {} : { limits }),
    },
    servers: servers && new Set(servers),
    isBound: true,
  };
}

const WILDCARDS: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
  ["", "127.0.0.1"],
]);

/** Returns the host by which this machine reaches a listener: loopback for a wildcard. */
export function reachableHost(host: string): string {
  return WILDCARDS.get(host) ?? host;
}

/** A host and port in the form of a URL (RFC 3986, section 3.2.2). */
export function hostAndPort({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function keyChange(before: string | undefined, after: string | undefined): string | undefined {
  if (before === after) return undefined;
  if (before === undefined) return "an API key is required";
  return after === undefined ? "no API key is required anymore" : "the API key has changed";
}

/** Returns the changes for all servers, one line each. */
export function describeRules(before: GatewayConfig, after: GatewayConfig): readonly string[] {
  const changes: string[] = [];
  const address = hostAndPort(after.listen);
  if (hostAndPort(before.listen) !== address) changes.push(`listens on ${address}`);
  const hosts = ({ listen }: GatewayConfig) => [
    listen.allowedHosts,
    listen.allowedOrigins,
    listen.allowedHeaders,
  ];
  if (!isDeepStrictEqual(hosts(before), hosts(after)))
    changes.push("the allowed hosts, origins or headers have changed");
  if (before.listen.idleTimeout !== after.listen.idleTimeout)
    changes.push(`idle connections stay open for ${after.listen.idleTimeout / 1000} s`);
  const key = keyChange(before.auth.apiKey, after.auth.apiKey);
  if (key !== undefined) changes.push(key);
  if (before.auth.adminKey !== after.auth.adminKey) changes.push("the admin key has changed");
  if (!isDeepStrictEqual(before.auth.keys, after.auth.keys))
    changes.push("the keys of callers have changed");
  if (!isDeepStrictEqual(before.auth.jwt, after.auth.jwt))
    changes.push("the settings for access tokens have changed");
  if (!isDeepStrictEqual(before.auth.oidc, after.auth.oidc))
    changes.push("the identity providers or their groups have changed");
  if (!isDeepStrictEqual(before.limits, after.limits)) changes.push("the limits have changed");
  if (!isDeepStrictEqual(before.logging, after.logging))
    changes.push("the log's settings have changed");
  if (!isDeepStrictEqual(before.alerts, after.alerts)) changes.push("the alerts have changed");
  if (before.http.allowExecute !== after.http.allowExecute)
    changes.push(`the HTTP tool API ${after.http.allowExecute ? "may" : "may not"} run tools`);
  if (before.http.editServers !== after.http.editServers)
    changes.push("http.edit_servers has changed");
  return changes;
}
