import { isLoopbackHost } from "@touchstone/util";
import type { OidcSettings } from "../../../config/config.ts";
import { callbackPath } from "../../../config/oidc.ts";
import { hostAndPort, reachableHost } from "../../access/rules.ts";

/** Where the gateway listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The longest hash route to return to, in characters. */
const MAX_RETURN = 2_048;
/** A hash route of the console, in characters of a URL (RFC 3986, section 3.5). */
const ROUTE = /^#\/[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]*$/;

/**
 * Returns the redirect URI of a provider: the configured one, or on loopback one that is made from the address. It
 * never depends on a request, so nobody can make a provider send a code to another address.
 */
export function redirectUri(
  { name, redirectUri: configured }: OidcSettings,
  address: Address,
): string {
  if (configured !== undefined) return configured;
  const own = hostAndPort({ host: reachableHost(address.host), port: address.port });
  return `http://${own}${callbackPath(name)}`;
}

/** Returns the URL of the console's page, which ends in a slash, by a provider's redirect URI. */
export function consoleUrl({ name }: OidcSettings, uri: string): string {
  return `${uri.slice(0, -callbackPath(name).length)}/`;
}

/** Returns a hash route of the console; `#/` for any other text, so that no link leads elsewhere after a sign-in. */
export function hashRoute(text: string | undefined): string {
  return text !== undefined && text.length <= MAX_RETURN && ROUTE.test(text) ? text : "#/";
}

/**
 * Returns whether a browser uses another loopback name than the redirect URI, such as `localhost` for `127.0.0.1`, at the
 * same port: it would not send its cookie to the redirect URI, so it has to begin there.
 */
export function isOtherLoopback(host: string | undefined, uri: string): boolean {
  const { host: own, hostname, port } = new URL(uri);
  const [, name = "", given = "80"] =
    /^(.*?)(?::(\d{1,5}))?$/.exec(host?.toLowerCase() ?? "") ?? [];
  const isBoth = isLoopbackHost(name) && isLoopbackHost(hostname);
  return isBoth && given === (port || "80") && host?.toLowerCase() !== own;
}
