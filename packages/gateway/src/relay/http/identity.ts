import type { Caller } from "../../features/caller.ts";
import type { Conversation } from "../../pipeline/context.ts";
import type { Role } from "../../settings/schema.ts";
import type { HttpRequest } from "../../transport/http/http-message.ts";

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
  /** Whether callers are distinguished: no caller may use what another one opened. */
  readonly isBound?: boolean | undefined;
  /** The console's session that its cookie names; absent if it has a key or token instead. */
  readonly session?: { readonly id: string; readonly provider?: string | undefined } | undefined;
  /** When its token or session expires, in milliseconds since the Unix epoch; absent if it does not. */
  readonly expiresAt?: number | undefined;
}

/** The identity of requests if no key is required. */
export const OPEN_IDENTITY: Identity = { role: "viewer", isOpen: true };

const known: WeakMap<HttpRequest, Identity> = new WeakMap();

/** Sets the sender of a request. */
export function setIdentity(request: HttpRequest, identity: Identity): void {
  if (identity !== OPEN_IDENTITY) known.set(request, identity);
}

/** Returns the sender of a request. */
export function identityOf(request: HttpRequest): Identity {
  return known.get(request) ?? OPEN_IDENTITY;
}

/** Returns what a conversation must know of the sender of a request. */
export function conversationOwner(request: HttpRequest): Pick<Conversation, "caller" | "isBound"> {
  const { caller, isBound } = identityOf(request);
  return { caller, isBound };
}

/** Returns the name under which a client owns what it opens; undefined for all clients without a name. */
export function ownerName(request: HttpRequest): string | undefined {
  return identityOf(request).caller?.name;
}

/** Longest name of somebody whom an issuer names, in characters. */
export const MAX_NAME = 128;
/** No control or format characters, no line breaks, and none that no font shows. */
const VISIBLE = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

/**
 * Returns whether a claim is a name for records: 1 to {@link MAX_NAME} visible characters, without space around them and
 * with single spaces (U+0020) inside. So no name looks like another one with something invisible in it.
 */
export function isDisplayName(value: unknown): value is string {
  if (typeof value !== "string" || value.length > MAX_NAME || !VISIBLE.test(value)) return false;
  return !/^\s|\s$|[^\S ]|\s\s/.test(value);
}
