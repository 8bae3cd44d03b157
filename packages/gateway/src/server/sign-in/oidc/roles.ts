import type { OidcSettings, PersonRole } from "../../../config/config.ts";
import { OidcError, shownText } from "./refusal.ts";

/** How many groups to name in a text. */
const MAX_NAMED = 8;
/** The most characters of each: the text has to fit into a cookie. */
const MAX_GROUP_NAME = 48;

/** Returns the highest role of some groups; undefined if none has one. */
export function roleOf(
  groups: readonly string[],
  { roles }: Pick<OidcSettings, "roles">,
): PersonRole | undefined {
  const found = groups.filter((group) => Object.hasOwn(roles, group)).map((group) => roles[group]);
  return found.includes("admin") ? "admin" : found[0];
}

/**
 * Returns the refusal of somebody without a role. It names the groups that have a role, never those of the person.
 * @param groups the person's groups; undefined if the provider sent none
 */
export function noRole(
  groups: readonly string[] | undefined,
  { label, roleClaim, roles }: OidcSettings,
): OidcError {
  const names = Object.keys(roles);
  const named = names
    .slice(0, MAX_NAMED)
    .map((name) => `${shownText(name, MAX_GROUP_NAME)} (${roles[name]})`);
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : "";
  const what =
    groups === undefined
      ? `${label} sent no claim ${roleClaim}, which names your groups`
      : `${label} signed you in, but none of the groups in its claim ${roleClaim} has a role here`;
  const next =
    groups === undefined
      ? "Ask the operator to have the provider send the claim, or to set role_claim in auth.oidc to the one that it sends."
      : "Ask the operator of the provider to add you to one, then sign in again.";
  const message = `${what}. Groups with a role: ${named.join(", ")}${more}. ${next}`;
  return new OidcError("OIDC_NO_ROLE", message, `${groups?.length ?? "no"} groups in the claim`);
}

/** Returns the refusal of somebody whose groups the provider left out. */
export function tooManyGroups({ label, roleClaim }: OidcSettings): OidcError {
  const message = `${label} left the claim ${roleClaim} out because you are in too many groups (groups overage). Ask the operator to let the provider send only the groups that are assigned to this application, or to use its app roles with "role_claim": "roles".`;
  return new OidcError("OIDC_TOO_MANY_GROUPS", message);
}
