import { isObject } from "@touchstone/core/advanced";
import type { OidcSettings } from "../../../config/config.ts";
import { isDisplayName, MAX_NAME } from "../../../relay/http/identity.ts";
import { OidcError } from "./refusal.ts";

/** Claims of an ID token or of the UserInfo response, which the provider vouches for. */
export type Claims = Readonly<Record<string, unknown>>;

/** How many groups of a person to keep, and the longest name of one. */
export const MAX_GROUPS = 200;
const MAX_GROUP = 256;
/** The longest `sub` (OpenID Connect Core 1.0, section 2). */
const MAX_SUBJECT = 255;
/** The claims to try if `name_claim` is not set. `sub` always exists. */
const NAME_CLAIMS = ["preferred_username", "email", "name", "sub"];
const IS_SUBJECT = /^[^\p{Cc}\p{Cs}]+$/u;

/**
 * Returns the value of a claim. A name with dots leads to a member of a claim, such as `realm_access.roles`; if claims
 * or members have dots in their own names, the longest one that exists counts, so `https://example.com/roles` is found
 * as well.
 */
export function claimAt(claims: unknown, name: string): unknown {
  if (!isObject(claims)) return undefined;
  if (Object.hasOwn(claims, name)) return claims[name];
  for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) {
    const own = name.slice(0, end);
    if (Object.hasOwn(claims, own)) return claimAt(claims[own], name.slice(end + 1));
  }
  return undefined;
}

/**
 * Returns a person's groups: the texts of an array, or one text. Keeps at most 200, first those that have a role now,
 * and none of over 256 characters. Undefined if the claim is missing or has another type.
 */
export function groupsIn(
  claims: Claims,
  { roleClaim, roles }: Pick<OidcSettings, "roleClaim" | "roles">,
): readonly string[] | undefined {
  const value = claimAt(claims, roleClaim);
  if (typeof value !== "string" && !Array.isArray(value)) return undefined;
  const groups = new Set<string>();
  for (const group of [value].flat()) {
    if (typeof group === "string" && group !== "" && group.length <= MAX_GROUP) groups.add(group);
  }
  const counting = [...groups].filter((group) => Object.hasOwn(roles, group));
  const others = [...groups].filter((group) => !Object.hasOwn(roles, group));
  return [...counting, ...others].slice(0, MAX_GROUPS);
}

/**
 * Returns whether a provider left the groups out because there are too many: Entra names an endpoint for them instead
 * (`_claim_names`, OpenID Connect Core 1.0, section 5.6.2) or sets `hasgroups`. The gateway does not fetch them from
 * there.
 */
export function hasTooManyGroups(claims: Claims, roleClaim: string): boolean {
  const { _claim_names: elsewhere, hasgroups } = claims;
  const isElsewhere = isObject(elsewhere) && Object.hasOwn(elsewhere, roleClaim);
  return isElsewhere || (roleClaim === "groups" && (hasgroups === true || hasgroups === "true"));
}

/** Returns whether claims contain everything that the settings name, so that no further request is needed. */
export function isComplete(claims: Claims, { roleClaim, nameClaim }: OidcSettings): boolean {
  const isThere = (name: string): boolean => claimAt(claims, name) !== undefined;
  return isThere(roleClaim) && (nameClaim === undefined ? hasName(claims) : isThere(nameClaim));
}

function hasName(claims: Claims): boolean {
  return NAME_CLAIMS.some((name) => name !== "sub" && isDisplayName(claimAt(claims, name)));
}

/**
 * Returns a person's name, for records and the page.
 * @throws {OidcError} `OIDC_NO_NAME`
 */
export function nameIn(claims: Claims, { nameClaim }: Pick<OidcSettings, "nameClaim">): string {
  const names = nameClaim === undefined ? NAME_CLAIMS : [nameClaim];
  const found = names.map((name) => claimAt(claims, name)).find(isDisplayName);
  if (found !== undefined) return found;
  const message = `The provider's claim ${names.join(", ")} is not a name of 1 to ${MAX_NAME} visible characters, so records could not say who you are. Ask the operator to set name_claim in auth.oidc to a claim that the provider sends, or to request the scope that it needs.`;
  throw new OidcError("OIDC_NO_NAME", message);
}

/** Returns the ID of a person at the provider, which never changes. */
export function subjectIn({ sub }: Claims): string {
  if (typeof sub === "string" && sub.length <= MAX_SUBJECT && IS_SUBJECT.test(sub)) return sub;
  const message = `The provider's claim sub is not an ID of 1 to ${MAX_SUBJECT} characters.`;
  throw new OidcError("OIDC_RESPONSE_INVALID", message);
}
