import type { Identity } from "../../relay/http/identity.ts";
import type { Role } from "../../settings/schema.ts";
import { AdminError } from "../admin/errors.ts";

/**
 * What a client may do; each includes those before it.
 *
 * - `caller`: use servers and tools, over MCP and the tool API
 * - `viewer`: read records, metrics and settings
 * - `admin`: change settings, servers and approvals
 */
const ROLES: readonly Role[] = ["caller", "viewer", "admin"];

/** What each role is needed for, as the subject of an error text. */
const NEEDED_FOR: Readonly<Record<Role, string>> = {
  caller: "This needs",
  viewer: "Records, metrics and settings need",
  admin: "Changes need",
};

/** How a client gets each role. */
const NEXT: Readonly<Record<Role, string>> = {
  caller: "Send a key of the gateway.",
  viewer:
    'Send a key of auth.keys with "role": "viewer" or "admin", or auth.admin_key. For a browser on the gateway\'s machine, run touchstone ui, which signs it in.',
  admin:
    'Send a key of auth.keys with "role": "admin", or auth.admin_key, or without one the token in the file operator-token of the data directory. For a browser on the gateway\'s machine, run touchstone ui, which signs it in.',
};

/**
 * Passes if a client has a role, or a higher one.
 * @throws {AdminError} `ROLE_REQUIRED` (403), or `TOKEN_REQUIRED` (401) if the gateway asks for no key and the client
 * sent none
 */
export function requireRole(identity: Identity, needed: Role): void {
  if (hasRole(identity, needed)) return;
  const what = `${NEEDED_FOR[needed]} the role ${needed}`;
  const more = { role: needed };
  if (identity.isOpen === true) {
    throw new AdminError(
      "TOKEN_REQUIRED",
      `${what}, and this request has no key. ${NEXT[needed]}`,
      {
        headers: { "www-authenticate": "Bearer" },
        more,
      },
    );
  }
  // RFC 6750, section 3.1: the request needs a key with more rights.
  const headers = { "www-authenticate": 'Bearer error="insufficient_scope"' };
  const message = `${what}, and this key has the role ${identity.role}. ${NEXT[needed]}`;
  throw new AdminError("ROLE_REQUIRED", message, { headers, more });
}

/** Returns whether a client's role includes another one. */
export function hasRole({ role }: Identity, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Returns whether a client may reach a server. */
export function mayReach({ servers, audience }: Identity, server: string): boolean {
  return servers?.has(server) !== false && audience?.has(server) !== false;
}
