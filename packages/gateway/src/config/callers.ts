import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isLoopbackHost, parseUrl, rememberSecret } from "@touchstone/util";
import { parseLimits } from "../features/limits.ts";
import {
  type CallerKeySection,
  type ConfigFile,
  type JwtSection,
  SCHEMA,
} from "../settings/schema.ts";
import type { CallerKey, CallerRights, JwtSettings } from "./config.ts";
import type { Path } from "./document.ts";
import type { FaultList } from "./fault-list.ts";

/** Prefix of a key's hash, in hex. */
export const KEY_HASH_PREFIX = "sha256:";
const HASH = /^sha256:[0-9a-f]{64}$/i;
/** Characters of a key in a header: visible ASCII without spaces. */
const IN_HEADER = /^[\x21-\x7e]+$/;
const NOT_A_KEY =
  "must be visible ASCII characters without spaces, at least one: it is sent in a header";

/** Returns the SHA-256 of a key, in hex. */
export function hashOfKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** The fewest characters of a key that cannot be guessed. */
export const MIN_KEY_LENGTH = 16;
const QUOTED =
  /^(?:".*"|'.*'|`.*`|[\u201c\u201d].*[\u201c\u201d]|[\u2018\u2019].*[\u2018\u2019])$/s;

/** The most characters of a key: all headers of a request have 16 KiB at most (Node, `http.maxHeaderSize`). */
const MOST_KEY = 8_192;
const TOO_LONG = `has more than ${MOST_KEY} characters, and no request could carry it: all its headers have 16 KiB at most; make another with touchstone key create`;

const IS_HASH =
  "is the hash of a key, which only auth.keys takes: anybody who reads the hash would have the key; write the key itself";

/** Returns why a text cannot be a key, without the text. */
export function keyFault(text: string): string | undefined {
  if (isHashed(text)) return IS_HASH;
  if (text.length > 1 && QUOTED.test(text)) {
    return "is wrapped in quotes, which would be a part of the key; write it without them, also in the variable or file that it comes from";
  }
  if (!IN_HEADER.test(text)) return NOT_A_KEY;
  return text.length > MOST_KEY ? TOO_LONG : undefined;
}

/**
 * Remembers the keys and client secrets of a configuration that nobody can guess, so that no record, log or capture contains one that a client
 * sends as an argument.
 */
export function rememberKeySecrets({
  api_key = "",
  admin_key = "",
  keys = [],
  oidc = [],
}: NonNullable<ConfigFile["auth"]>): void {
  const clientSecrets = oidc.map((entry) => entry.client_secret ?? "");
  for (const key of [
    ...[api_key, admin_key, ...keys.map((entry) => entry.key ?? "")],
    ...clientSecrets,
  ]) {
    if (key.length >= MIN_KEY_LENGTH && !isHashed(key)) rememberSecret(key);
  }
}

/** Returns the keys of a configuration that are too short, by where they are. A key given as its hash is not among them. */
export function tooShortKeys({
  api_key,
  admin_key,
  keys = [],
}: NonNullable<ConfigFile["auth"]>): readonly Path[] {
  const all: readonly (readonly [Path, string | undefined])[] = [
    [["auth", "api_key"], api_key],
    [["auth", "admin_key"], admin_key],
    ...keys.map(({ key }, at) => [["auth", "keys", at, "key"], key] as const),
  ];
  const isShort = (key: string | undefined): boolean =>
    key !== undefined && keyFault(key) === undefined && key.length < MIN_KEY_LENGTH;
  return all.filter(([, key]) => isShort(key)).map(([path]) => path);
}

/** Returns what an entry of `auth.keys`, or `auth.jwt`, allows. */
export function rightsOf({
  role = "caller",
  servers,
  tools,
  read_only: readOnly,
}: Pick<CallerKeySection, "role" | "servers" | "tools" | "read_only">): CallerRights {
  return {
    role,
    ...(servers === undefined ? {} : { servers }),
    ...(tools === undefined ? {} : { tools }),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
}

/**
 * Reads `auth.keys`. Keeps only the hash of each key.
 *
 * @param auth a section that the schema has checked
 */
export function readKeys(
  { keys = [], api_key, admin_key }: NonNullable<ConfigFile["auth"]>,
  faults: FaultList,
): readonly CallerKey[] {
  const root: Path = ["auth", "keys"];
  const taken = new Map<string, string>();
  if (api_key !== undefined) taken.set(hashOfKey(api_key), "auth.api_key");
  if (admin_key !== undefined) taken.set(hashOfKey(admin_key), "auth.admin_key");
  const read: CallerKey[] = [];
  const named = new Map<string, CallerKey>();
  for (const [at, section] of keys.entries()) {
    const path = [...root, at];
    const { name, key } = section;
    if (name === undefined || key === undefined) {
      const missing = name === undefined ? '"name"' : '"key"';
      faults.add(
        "MISSING_KEY",
        path,
        `${missing} is missing: an entry has the name and the key of a caller`,
      );
      continue;
    }
    const hash = hashIn(key);
    if (hash === undefined) {
      const message = isHashed(key)
        ? `must have 64 hexadecimal digits after ${KEY_HASH_PREFIX}: the SHA-256 of the key`
        : (keyFault(key) ?? NOT_A_KEY);
      faults.add("INVALID_VALUE", [...path, "key"], message);
      continue;
    }
    const other = taken.get(hash);
    if (other !== undefined) {
      faults.add("INVALID_VALUE", [...path, "key"], `must be another key than that of ${other}`);
      continue;
    }
    taken.set(hash, `auth.keys[${at}]`);
    const limits = parseLimits(section.limits);
    const made = { name, hash, ...rightsOf(section), ...(limits === undefined ? {} : { limits }) };
    const same = named.get(name);
    if (same !== undefined && !isDeepStrictEqual({ ...same, hash }, made)) {
      const message = `must allow the same as the other key of ${JSON.stringify(name)}: they are one caller`;
      faults.add("INVALID_VALUE", path, message);
      continue;
    }
    read.push(made);
    named.set(name, made);
  }
  return read;
}

function hashIn(key: string): string | undefined {
  if (HASH.test(key)) return key.slice(KEY_HASH_PREFIX.length).toLowerCase();
  return keyFault(key) === undefined ? hashOfKey(key) : undefined;
}

const isHashed = (key: string): boolean =>
  key.slice(0, KEY_HASH_PREFIX.length).toLowerCase() === KEY_HASH_PREFIX;

type JsonWebKey = Readonly<Record<string, unknown>>;
const JWT: Path = ["auth", "jwt"];
const STANDARD = SCHEMA.properties.auth.properties.jwt.properties;
/** Members of a JSON Web Key that only the owner of a secret may have (RFC 7518, sections 6.2.2, 6.3.2 and 6.4). */
const SECRET_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * Reads `auth.jwt`.
 *
 * @param section a section that the schema has checked
 * @returns undefined if it cannot be used
 */
export function readJwt(
  section: JwtSection | undefined,
  faults: FaultList,
): JwtSettings | undefined {
  if (section === undefined) return undefined;
  const { issuer, audience, jwks_url: jwksUrl, servers_claim, tools_claim } = section;
  // The schema does not restrict the members of a key.
  const jwks = section.jwks as { readonly keys?: readonly JsonWebKey[] } | undefined;
  const at = (key: string): Path => [...JWT, key];
  for (const key of ["issuer", "audience"] as const) {
    const value = section[key];
    if (value === undefined) faults.add("MISSING_KEY", JWT, `"${key}" is missing`);
    else if (value.trim() === "") faults.add("INVALID_VALUE", at(key), "must not be empty");
  }
  if (jwksUrl === undefined && jwks === undefined) {
    faults.add("MISSING_KEY", JWT, 'the issuer\'s keys are missing: set "jwks_url" or "jwks"');
  }
  if (jwksUrl !== undefined && jwks !== undefined) {
    const message = 'the issuer\'s keys are in "jwks_url" as well; remove one of them';
    faults.add("CONFLICTING_KEYS", at("jwks"), message, "key");
  }
  const urlFault = jwksUrl === undefined ? undefined : keySetUrlFault(jwksUrl);
  if (urlFault !== undefined) faults.add("INVALID_VALUE", at("jwks_url"), urlFault);
  if (jwks !== undefined) judgeKeySet(jwks, faults);
  if ((audience?.split("{server}").length ?? 0) > 2) {
    faults.add("INVALID_VALUE", at("audience"), "must have {server} once at most");
  }
  if (section.algorithms?.length === 0) {
    faults.add("INVALID_VALUE", at("algorithms"), "must have at least one algorithm");
  }
  if (issuer === undefined || audience === undefined) return undefined;
  return {
    issuer,
    audience,
    ...(jwksUrl === undefined ? {} : { jwksUrl }),
    ...(jwks === undefined ? {} : { jwks: { keys: jwks.keys ?? [] } }),
    algorithms: section.algorithms ?? STANDARD.algorithms.default,
    nameClaim: section.name_claim ?? STANDARD.name_claim.default,
    ...(servers_claim === undefined ? {} : { serversClaim: servers_claim }),
    ...(tools_claim === undefined ? {} : { toolsClaim: tools_claim }),
    clockSkew: section.clock_skew ?? STANDARD.clock_skew.default,
    ...rightsOf(section),
  };
}

function keySetUrlFault(text: string): string | undefined {
  const url = parseUrl(text);
  if (url === undefined) return "must be an absolute URL";
  const { protocol, hostname, username, password } = url;
  if (username !== "" || password !== "") return "must not have a user or a password";
  if (protocol === "https:") return undefined;
  const isOwn = protocol === "http:" && isLoopbackHost(hostname);
  return isOwn ? undefined : "must be an https URL: anyone who can change the keys can make tokens";
}

function judgeKeySet(
  { keys = [] }: { readonly keys?: readonly JsonWebKey[] },
  faults: FaultList,
): void {
  const path = [...JWT, "jwks", "keys"];
  if (keys.length === 0) {
    faults.add("INVALID_VALUE", [...JWT, "jwks"], "must have at least one key in its member keys");
  }
  for (const [index, key] of keys.entries()) {
    const isSecret = SECRET_MEMBERS.some((member) => Object.hasOwn(key, member));
    if (!isSecret && key["kty"] !== "oct") continue;
    faults.add(
      "INVALID_VALUE",
      [...path, index],
      "must be a public key: only the issuer may have a private one",
    );
  }
}
