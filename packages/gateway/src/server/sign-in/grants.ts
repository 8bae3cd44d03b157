import { timingSafeEqual } from "node:crypto";
import { hashOfKey } from "../../config/callers.ts";
import type { GatewayConfig } from "../../config/config.ts";
import type { Identity } from "../../relay/http/identity.ts";
import { callerIdentity } from "../access/rules.ts";

/** What a key, or a code of `touchstone ui`, signs a browser in as. */
export interface SignInGrant {
  readonly credential: "auth.keys" | "auth.admin_key" | "auth.api_key" | "operator token";
  readonly identity: Identity;
  /** SHA-256 of the secret that the session depends on, in hex: sessions end when it changes. */
  readonly secret: string;
}

/**
 * The grants of a configuration's keys and codes, cached because they are needed for each request and listed session.
 */
interface Grants {
  readonly byKey: readonly SignInGrant[];
  readonly byCode: SignInGrant;
}
const made: WeakMap<GatewayConfig, Grants> = new WeakMap();

function grantsIn(config: GatewayConfig): Grants {
  const known = made.get(config);
  if (known !== undefined) return known;
  const byKey = makeByKey(config);
  const grants = { byKey, byCode: makeByCode(config, byKey) };
  made.set(config, grants);
  return grants;
}

/** Returns what each key of a configuration signs in as. */
export const grantsOf = (config: GatewayConfig): readonly SignInGrant[] => grantsIn(config).byKey;

/**
 * Returns the grant of a code of `touchstone ui`, or of the operator token; it is valid until a key of `auth`
 * changes.
 */
export const operatorGrant = (config: GatewayConfig): SignInGrant => grantsIn(config).byCode;

function makeByKey({ auth }: GatewayConfig): readonly SignInGrant[] {
  const { apiKey, adminKey, keys = [], jwt } = auth;
  const common = {
    isBound: keys.length > 0 || jwt !== undefined,
    takesTokens: jwt !== undefined,
  };
  const callers = keys.map((key): SignInGrant => {
    const identity = callerIdentity(key, jwt !== undefined);
    return { credential: "auth.keys", identity, secret: key.hash };
  });
  const one = (
    credential: "auth.api_key" | "auth.admin_key",
    role: Identity["role"],
    key: string | undefined,
  ): readonly SignInGrant[] =>
    key === undefined
      ? []
      : [{ credential, identity: { role, credential, ...common }, secret: hashOfKey(key) }];
  return [
    ...callers,
    ...one("auth.api_key", "caller", apiKey),
    ...one("auth.admin_key", "admin", adminKey),
  ];
}

/** Returns what a key of a configuration signs in as; undefined if the key is unknown. */
export function grantOf(config: GatewayConfig, key: string): SignInGrant | undefined {
  const digest = Buffer.from(hashOfKey(key));
  let found: SignInGrant | undefined;
  for (const grant of grantsOf(config)) {
    if (timingSafeEqual(Buffer.from(grant.secret), digest)) found ??= grant;
  }
  return found;
}

function makeByCode(
  { auth: { keys = [], jwt } }: GatewayConfig,
  byKey: readonly SignInGrant[],
): SignInGrant {
  const credential = "operator token";
  const secrets = byKey.map((grant) => [grant.credential, grant.secret]);
  return {
    credential,
    identity: {
      role: "admin",
      credential,
      isBound: keys.length > 0 || jwt !== undefined,
      takesTokens: jwt !== undefined,
    },
    secret: hashOfKey(JSON.stringify(secrets)),
  };
}
