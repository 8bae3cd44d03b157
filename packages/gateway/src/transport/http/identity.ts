import type { IncomingMessage } from "node:http";
import type { Conversation } from "../../pipeline/context.ts";
import type { Caller } from "../../policy/caller.ts";

/** What a client may do; each includes those before it. */
const RIGHTS = ["use", "read", "change", "operate"] as const;

/**
 * - `use`: servers and tools, over MCP and the tool API
 * - `read`: records and settings
 * - `change`: settings, and approvals
 * - `operate`: which programs run, and where requests go
 */
export type Right = (typeof RIGHTS)[number];

/** Who sends a request, as far as the gateway knows. */
export interface Identity {
  readonly right: Right;
  /** Set if no key is asked for, and none that the gateway knows was sent. */
  readonly isOpen?: boolean;
  /** Absent if the client has no name: it has `auth.api_key`, or is the operator. */
  readonly caller?: Caller | undefined;
  /** The servers that it may reach; absent if all. */
  readonly servers?: ReadonlySet<string> | undefined;
  /** Set if callers are told apart: what one has opened, no other may use. */
  readonly isBound?: boolean | undefined;
  /** When its token expires, in milliseconds since the Unix epoch; absent if it does not. */
  readonly expiresAt?: number | undefined;
}

/** Of a request if nobody is asked for a key. */
export const OPEN: Identity = { right: "read", isOpen: true };

const known: WeakMap<IncomingMessage, Identity> = new WeakMap();

/** Notes who sends a request. */
export function identifyAs(request: IncomingMessage, identity: Identity): void {
  if (identity !== OPEN) known.set(request, identity);
}

/** Returns who sends a request. */
export function identityOf(request: IncomingMessage): Identity {
  return known.get(request) ?? OPEN;
}

/** Returns whether a client may do something. */
export function may({ right }: Identity, wanted: Right): boolean {
  return RIGHTS.indexOf(right) >= RIGHTS.indexOf(wanted);
}

/** Returns whether a client may reach a server. */
export function mayReach({ servers }: Identity, server: string): boolean {
  return servers === undefined || servers.has(server);
}

/** Returns what a conversation has to know of who sends a request. */
export function ownersOf(request: IncomingMessage): Pick<Conversation, "caller" | "isBound"> {
  const { caller, isBound } = identityOf(request);
  return { caller, isBound };
}

/** Returns the name under which a client owns what it opens; undefined for all clients without a name. */
export function ownerOf(request: IncomingMessage): string | undefined {
  return identityOf(request).caller?.name;
}
