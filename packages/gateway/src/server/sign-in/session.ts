import { createHmac, timingSafeEqual } from "node:crypto";
import type { ConsoleSession } from "@touchstone/records/plain";
import type { GatewayConfig } from "../../config/config.ts";
import type { Identity } from "../../relay/http/identity.ts";
import { DEFAULT_LIFETIME } from "../../settings/schema.ts";
import { grantsOf, operatorGrant, type SignInGrant } from "./grants.ts";
import type { Person, Providers } from "./providers.ts";

/** The sender of a sign-in: somebody with a key or a code, or a person whom a provider has identified. */
export type SignedInBy = SignInGrant | { readonly credential: "oidc"; readonly person: Person };

/** The data of a stored session besides its columns. */
interface About {
  readonly credential: string;
  readonly person?: Person;
  readonly seal: string;
}

/** A session that is valid now. */
export interface Session {
  readonly id: string;
  readonly identity: Identity;
  readonly provider: string | undefined;
  readonly created: string;
  readonly seen: string;
  readonly expires: number;
}

/** How far the clock may have been set back since a session began, in milliseconds. */
const CLOCK_SLACK_MS = 300_000;

/** Returns how long a session that begins now lasts, in milliseconds. */
export function lifetimeOf({ auth }: GatewayConfig): number {
  return auth.sessionLifetime ?? DEFAULT_LIFETIME * 1_000;
}

/** Returns the owner of a session: the number of sessions of one owner is limited. */
export function sessionOwner(by: SignedInBy): string {
  const named =
    "person" in by
      ? [by.person.provider, by.person.issuer, by.person.subject]
      : [by.identity.caller?.name ?? ""];
  return JSON.stringify([by.credential, ...named]);
}

/** Returns the secret that a new session is sealed with; undefined if the person may do nothing. */
export function sessionSecret(by: SignedInBy, providers: Providers): string | undefined {
  return "person" in by ? providers.rightsOf(by.person)?.secret : by.secret;
}

/** Returns the data of a stored session besides its columns, as JSON text. */
export function sessionExtras(
  by: SignedInBy,
  secret: string,
  of: Omit<ConsoleSession, "about" | "seen">,
): string {
  const { credential } = by;
  const person = "person" in by ? by.person : undefined;
  const about: About = {
    credential,
    ...(person === undefined ? {} : { person }),
    seal: sealOf(secret, of, { credential, person }),
  };
  return JSON.stringify(about);
}

/**
 * Returns a digest of all claims of a session, keyed with the secret that it depends on. So a session ends when that
 * secret changes, and somebody who can write to the store cannot make a session or give it other rights.
 */
function sealOf(
  secret: string,
  { id, token, owner, caller, created, expires }: Omit<ConsoleSession, "about" | "seen">,
  { credential, person }: { readonly credential: string; readonly person: Person | undefined },
): string {
  const { provider, issuer, subject, name, groups } = person ?? {};
  const of = [id, token, owner, caller, created, expires, credential];
  const text = JSON.stringify([...of, provider, issuer, subject, name, groups]);
  return createHmac("sha256", Buffer.from(secret, "hex")).update(text).digest("base64url");
}

/**
 * Validates a stored session by the current rules.
 * @param now in milliseconds since the Unix epoch
 * @returns undefined if it is invalid: it has expired, its key or its person's role is gone, or the row is damaged
 */
export function validateSession(
  kept: ConsoleSession,
  config: GatewayConfig,
  providers: Providers,
  now: number,
): Session | undefined {
  const about = readAbout(kept.about);
  const created = Date.parse(kept.created);
  // A shorter lifetime takes effect at once.
  const expires = Math.min(Date.parse(kept.expires), created + lifetimeOf(config));
  // Comparisons with NaN are false, so a damaged time counts as expired.
  if (about === undefined || !(now < expires) || !(created <= now + CLOCK_SLACK_MS)) {
    return undefined;
  }
  const identity =
    about.person === undefined
      ? identityByKey(kept, about, config)
      : identityOfPerson(kept, about, about.person, config, providers);
  if (identity === undefined) return undefined;
  const provider = about.person?.provider;
  return {
    id: kept.id,
    identity: { ...identity, expiresAt: expires, session: { id: kept.id, provider } },
    provider,
    created: kept.created,
    seen: kept.seen,
    expires,
  };
}

function identityByKey(
  kept: ConsoleSession,
  about: About,
  config: GatewayConfig,
): Identity | undefined {
  const isIts = ({ credential, identity, secret }: SignInGrant): boolean =>
    credential === about.credential &&
    (identity.caller?.name ?? null) === kept.caller &&
    isSealed(kept, about, secret);
  const byCode = operatorGrant(config);
  return (isIts(byCode) ? byCode : grantsOf(config).find(isIts))?.identity;
}

function identityOfPerson(
  kept: ConsoleSession,
  about: About,
  person: Person,
  { auth }: GatewayConfig,
  providers: Providers,
): Identity | undefined {
  if (about.credential !== "oidc" || kept.caller !== person.name) return undefined;
  const rights = providers.rightsOf(person);
  if (rights === undefined || !isSealed(kept, about, rights.secret)) return undefined;
  return {
    role: rights.role,
    credential: "oidc",
    caller: { name: person.name },
    isBound: true,
    takesTokens: auth.jwt !== undefined,
  };
}

function isSealed(kept: ConsoleSession, about: About, secret: string): boolean {
  const { credential, person, seal } = about;
  const expected = Buffer.from(sealOf(secret, kept, { credential, person }));
  const given = Buffer.from(seal);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Returns undefined for a text that a gateway would not have written. */
function readAbout(text: string): About | undefined {
  try {
    const { credential, person, seal } = JSON.parse(text) as Partial<About>;
    if (typeof credential !== "string" || typeof seal !== "string") return undefined;
    if (person !== undefined && !isPerson(person)) return undefined;
    return { credential, seal, ...(person === undefined ? {} : { person }) };
  } catch {
    return undefined;
  }
}

function isPerson(value: unknown): value is Person {
  const { provider, issuer, subject, name, groups } = Object(value) as Record<string, unknown>;
  const texts = [provider, issuer, subject, name, ...(Array.isArray(groups) ? groups : [0])];
  return texts.every((text) => typeof text === "string");
}
