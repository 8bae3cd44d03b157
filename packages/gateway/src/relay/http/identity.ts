import type { ServerResponse } from "node:http";
import type { Caller } from "../../features/caller.ts";
import type { Conversation } from "../../pipeline/context.ts";
import type { Role } from "../../settings/schema.ts";
import type { HttpRequest } from "../../transport/http/http-message.ts";

/**
 * What a client may do; each includes those before it.
 *
 * - `caller`: use servers and tools, over MCP and the tool API
 * - `viewer`: read records, metrics and settings
 * - `admin`: change settings, servers and approvals
 */
export const ROLES: readonly Role[] = ["caller", "viewer", "admin"];

/** The sender of a request, as far as the gateway knows it. */
export interface Identity {
  readonly role: Role;
  /** What kind of key it has, for records of changes; absent if it has none. */
  readonly credential?: string;
  /** Whether no key is required, and the request has no known key. */
  readonly isOpen?: boolean;
  /** Absent if the client has no name: it uses `auth.api_key`, or is the operator. */
  readonly caller?: Caller | undefined;
  /** The servers that it may reach; absent if all. */
  readonly servers?: ReadonlySet<string> | undefined;
  /** The servers that its token is for; absent if it may use all, or has no token. */
  readonly audience?: ReadonlySet<string> | undefined;
  /** Whether the gateway takes access tokens, so that no server's challenge goes to its clients. */
  readonly takesTokens?: boolean | undefined;
  /** Whether callers are told apart: no caller may use what another one opened. */
  readonly isBound?: boolean | undefined;
  /** When its token expires, in milliseconds since the Unix epoch; absent if it does not. */
  readonly expiresAt?: number | undefined;
}

/** The identity of requests if no key is required. */
export const OPEN: Identity = { role: "viewer", isOpen: true };

const known: WeakMap<HttpRequest, Identity> = new WeakMap();

/** Sets the sender of a request. */
export function identifyAs(request: HttpRequest, identity: Identity): void {
  if (identity !== OPEN) known.set(request, identity);
}

/** Returns the sender of a request. */
export function identityOf(request: HttpRequest): Identity {
  return known.get(request) ?? OPEN;
}

/** Returns whether a client's role includes another one. */
export function hasRole({ role }: Identity, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Returns whether a client may reach a server. */
export function mayReach({ servers, audience }: Identity, server: string): boolean {
  return servers?.has(server) !== false && audience?.has(server) !== false;
}

/** How often to check a response that was not a stream when its token expired, in milliseconds. */
const LOOK_MS = 1_000;
/** The longest delay of a timer. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Ends a stream when its client's token expires. A response in one piece is not broken off: its request was allowed
 * when it came.
 */
export function endWithToken(response: ServerResponse, { expiresAt }: Identity): void {
  if (expiresAt === undefined || response.closed) return;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const left = expiresAt - Date.now();
    if (left <= 0 && response.headersSent && !response.writableEnded) response.destroy();
    else timer = setTimeout(look, left > 0 ? Math.min(left, MAX_TIMER_MS) : LOOK_MS).unref();
  };
  look();
  response.once("close", () => clearTimeout(timer));
}

/** Returns what a conversation must know of the sender of a request. */
export function ownersOf(request: HttpRequest): Pick<Conversation, "caller" | "isBound"> {
  const { caller, isBound } = identityOf(request);
  return { caller, isBound };
}

/** Returns the name under which a client owns what it opens; undefined for all clients without a name. */
export function ownerOf(request: HttpRequest): string | undefined {
  return identityOf(request).caller?.name;
}
