import type { Author } from "@touchstone/records/plain";
import type { Identity } from "../relay/http/identity.ts";

/** The sender of a request. */
export interface Requester {
  readonly identity: Identity;
  /** The IP address; absent if the connection is closed. */
  readonly address: string | undefined;
}

/**
 * Returns who sent a request that changes something.
 * @param reason the reason, from the body of the request
 */
export function authorOf({ identity, address }: Requester, reason?: string): Author {
  const { credential = "no key", caller, role } = identity;
  return { actor: credential, caller: caller?.name, role, address, reason };
}
