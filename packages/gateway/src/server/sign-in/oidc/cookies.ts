import type { IncomingHttpHeaders } from "node:http";
import { cookieValues } from "../cookie.ts";

/** Longest value to read, in characters. */
const MAX_VALUE = 4_096;
const VALUE = /^[\w.-]+$/;

/** The paths at which a cookie is accepted. */
export interface CookieScope {
  /**
   * Whether the page is served over HTTPS: browsers then accept the cookie from this host only (RFC 6265bis,
   * `__Host-`).
   */
  readonly secure: boolean;
  /** Of the page: several gateways of one host share cookies, which do not depend on the port. */
  readonly port: string;
}

function nameIn(name: string, { secure, port }: CookieScope): string {
  return `${secure ? "__Host-" : ""}touchstone_${name}${port === "" ? "" : `_${port}`}`;
}

/**
 * Returns the value of a cookie; undefined if it is absent, or if there are several, because another site has set
 * one.
 */
export function cookieIn(
  headers: IncomingHttpHeaders,
  name: string,
  scope: CookieScope,
): string | undefined {
  const found = cookieValues(headers, nameIn(name, scope));
  const [value = ""] = found;
  return found.length === 1 && value.length <= MAX_VALUE && VALUE.test(value) ? value : undefined;
}

/**
 * Returns the `Set-Cookie` header of a cookie for a sign-in. It is `SameSite=Lax`, unlike the session's: the
 * provider, another site, sends the browser back, and a browser leaves a `Strict` cookie out of that navigation. With
 * `Lax`, the browser still does not send it with requests of other sites, except when the person navigates.
 * @param value empty to remove the cookie
 */
export function cookieHeader(
  name: string,
  value: string,
  seconds: number,
  scope: CookieScope,
): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${value === "" ? 0 : seconds}`;
  return `${nameIn(name, scope)}=${value}; ${attributes}${scope.secure ? "; Secure" : ""}`;
}
