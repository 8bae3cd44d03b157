import { isLoopbackHost, parseUrl } from "@touchstone/util";
import { type OidcSection, SCHEMA } from "../settings/schema.ts";
import { MIN_KEY_LENGTH } from "./callers.ts";
import { pathAsWritten } from "./check.ts";
import type { OidcSettings } from "./config.ts";
import type { JsonValue, Path } from "./document.ts";
import type { FaultList } from "./fault-list.ts";
import { quote } from "./faults.ts";

const STANDARD = SCHEMA.properties.auth.properties.oidc.items.properties;
const REQUIRED = ["issuer", "client_id", "client_secret", "roles"] as const;
/** How many providers a page can offer. */
const MOST_PROVIDERS = 20;
const MOST_GROUPS = 1_000;
const MOST_GROUP = 256;
/**
 * Entra's endpoints for accounts of any organization: anybody with an organization could issue tokens with the groups
 * of this file.
 */
const ANY_TENANT =
  /^https:\/\/(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn)\/(?:common|organizations|consumers)(?:\/|$)/i;

export interface OidcOptions {
  readonly faults: FaultList;
  /** The file as it is written. */
  readonly written: JsonValue;
  /** Whether clients may reach the gateway by an address that it does not listen at. */
  readonly isReachedByName: boolean;
  /** Whether the gateway listens beyond loopback. */
  readonly isBeyond: boolean;
}

/** Returns the path of the gateway's own page to which a provider sends people back. */
export function callbackPath(name: string): string {
  return `/api/v1/sign-in/oidc/${name}/callback`;
}

/**
 * Reads `auth.oidc`.
 *
 * @param sections what the schema has checked
 * @returns the providers that can be used; those with a fault are left out
 */
export function readOidc(
  sections: readonly OidcSection[] = [],
  options: OidcOptions,
): readonly OidcSettings[] {
  const { faults, written } = options;
  const taken = new Set<string>();
  if (sections.length > MOST_PROVIDERS) {
    faults.add("INVALID_VALUE", ["auth", "oidc"], `must have ${MOST_PROVIDERS} providers at most`);
  }
  return sections.flatMap((section, index) => {
    const { name = STANDARD.name.default } = section;
    const root: Path = ["auth", "oidc", index];
    const add: Add = (code, keys, message) =>
      faults.add(code, pathAsWritten([...root, ...keys], written), message);
    if (taken.has(name)) {
      const what =
        section.name === undefined ? '"name" is missing, and another provider' : "another provider";
      const message = `${what} has the name ${quote(name)}; give each provider its own name`;
      add("CONFLICTING_KEYS", section.name === undefined ? [] : ["name"], message);
    }
    taken.add(name);
    return readProvider(section, name, add, options) ?? [];
  });
}

type Add = (
  code: "MISSING_KEY" | "INVALID_VALUE" | "CONFLICTING_KEYS" | "KEY_TOO_SHORT",
  keys: Path,
  message: string,
) => void;

function readProvider(
  section: OidcSection,
  name: string,
  add: Add,
  { isReachedByName, isBeyond }: OidcOptions,
): OidcSettings | undefined {
  for (const key of REQUIRED)
    if (section[key] === undefined) add("MISSING_KEY", [], `"${key}" is missing`);
  const { issuer, client_id, client_secret, roles, redirect_uri, name_claim } = section;
  const issuerIssue = issuer === undefined ? undefined : issuerFault(issuer);
  if (issuerIssue !== undefined) add("INVALID_VALUE", ["issuer"], issuerIssue);
  if (client_secret !== undefined) judgeSecret(client_secret, isBeyond, add);
  if (roles !== undefined) judgeRoles(roles, add);
  if (redirect_uri !== undefined) {
    const fault = redirectFault(redirect_uri, name);
    if (fault !== undefined) add("INVALID_VALUE", ["redirect_uri"], fault);
  } else if (isReachedByName) {
    const example = `https://touchstone.example.com${callbackPath(name)}`;
    const message = `"redirect_uri" is missing: the gateway cannot know at which address browsers reach it; write the one that you register with the provider, such as ${example}`;
    add("MISSING_KEY", [], message);
  }
  if (section.scopes?.length === 0)
    add("INVALID_VALUE", ["scopes"], "must have at least one scope");
  if (issuer === undefined || client_id === undefined) return undefined;
  if (client_secret === undefined || roles === undefined) return undefined;
  const { token_endpoint_auth_method: authMethod } = section;
  return {
    name,
    label: section.label ?? name,
    issuer,
    clientId: client_id,
    clientSecret: client_secret,
    ...(authMethod === undefined ? {} : { authMethod }),
    ...(redirect_uri === undefined ? {} : { redirectUri: redirect_uri }),
    scopes: [...new Set(["openid", ...(section.scopes ?? STANDARD.scopes.default)])],
    ...(name_claim === undefined ? {} : { nameClaim: name_claim }),
    roleClaim: section.role_claim ?? STANDARD.role_claim.default,
    roles,
    clockSkew: section.clock_skew ?? STANDARD.clock_skew.default,
  };
}

/** Returns why a text cannot be a URL at which a provider or the gateway is reached. */
function urlFault(text: string): string | undefined {
  const url = parseUrl(text);
  if (url === undefined) return "must be an absolute URL";
  const { protocol, hostname, username, password, search, hash } = url;
  if (username !== "" || password !== "") return "must not have a user or a password";
  if (search !== "" || hash !== "" || /[?#]/.test(text))
    return "must not have a query or a fragment";
  if (protocol === "https:") return undefined;
  const isOwn = protocol === "http:" && isLoopbackHost(hostname);
  return isOwn ? undefined : "must be an https URL, or http on loopback";
}

function issuerFault(text: string): string | undefined {
  const fault = urlFault(text);
  if (fault !== undefined) return `${fault}: what it returns decides who is an admin`;
  if (text.includes("/.well-known/")) {
    return "must be the issuer itself, without /.well-known/ and what follows it";
  }
  return ANY_TENANT.test(text)
    ? "accepts accounts of every organization, and each could name its groups like yours; write the ID of your tenant instead of common, organizations or consumers"
    : undefined;
}

function redirectFault(text: string, name: string): string | undefined {
  const fault = urlFault(text);
  if (fault !== undefined) return fault;
  const path = callbackPath(name);
  return new URL(text).pathname.endsWith(path) && text.endsWith(path)
    ? undefined
    : `must end in ${path}: the gateway takes the provider's response there`;
}

function judgeSecret(secret: string, isBeyond: boolean, add: Add): void {
  if (!/^[\x20-\x7e]{1,1024}$/.test(secret) || secret.trim() === "") {
    const message = "must be 1 to 1,024 visible ASCII characters";
    add("INVALID_VALUE", ["client_secret"], message);
  } else if (isBeyond && secret.length < MIN_KEY_LENGTH) {
    const message = `must have ${MIN_KEY_LENGTH} characters or more if serve listens beyond loopback: a shorter secret can be guessed; let the provider create one`;
    add("KEY_TOO_SHORT", ["client_secret"], message);
  }
}

function judgeRoles(roles: Readonly<Record<string, unknown>>, add: Add): void {
  const groups = Object.keys(roles);
  if (groups.length === 0) {
    const message =
      'must have at least one group, such as { "platform-team": "admin" }: without one, nobody can sign in';
    add("INVALID_VALUE", ["roles"], message);
  }
  if (groups.length > MOST_GROUPS) {
    add("INVALID_VALUE", ["roles"], `must have ${MOST_GROUPS} groups at most`);
  }
  for (const group of groups) {
    if (group !== "" && group.length <= MOST_GROUP) continue;
    add("INVALID_VALUE", ["roles"], `must have names of groups of 1 to ${MOST_GROUP} characters`);
  }
}
