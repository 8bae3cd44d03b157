import type { Author } from "../records/author.ts";
import type { Given } from "./route.ts";

/**
 * Returns who sent a request that changes something.
 * @param reason why, as the body of the request gives it
 */
export function authorOf(
  { identity, address }: Pick<Given, "identity" | "address">,
  reason?: string,
): Author {
  const { credential = "no key", caller, role } = identity;
  return { actor: credential, caller: caller?.name, role, address, reason };
}
