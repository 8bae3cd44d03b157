/**
 * Returns the value of the Authorization header (RFC 6750, section 2.1; RFC 9110, section 11.6.2) for what a
 * person typed: a bare token becomes `Bearer {token}`, one with a scheme stays. Undefined if
 * there is nothing, or something that no header may hold.
 */
export function authorizationOf(typed: string): string | undefined {
  const token = typed.trim();
  if (token === "" || !/^[\x20-\x7e]+$/.test(token)) return undefined;
  return token.includes(" ") ? token : `Bearer ${token}`;
}
