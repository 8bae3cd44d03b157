/**
 * Returns the value of the Authorization header (RFC 6750, section 2.1; RFC 9110, section 11.6.2) for what a user
 * typed. A bare token becomes `Bearer {token}`; text with a scheme is unchanged. Undefined if there is nothing, or if
 * a header cannot contain it.
 */
export function authorizationOf(typed: string): string | undefined {
  const token = typed.trim();
  if (token === "" || !/^[\x20-\x7e]+$/.test(token)) return undefined;
  return token.includes(" ") ? token : `Bearer ${token}`;
}
