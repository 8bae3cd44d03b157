import { shownUrl } from "../../config/shown-url.ts";
import type { HeaderFields } from "./forwarding.ts";

/** How many redirects of one request are followed. */
export const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Those under which a request goes on as it is, with its method and body. */
const SAME_REQUEST: ReadonlySet<number> = new Set([307, 308]);

/** An answer that sends its reader to another URL. */
export type Redirect =
  | { readonly follow: true; readonly url: string }
  | { readonly follow: false; readonly reason: string };

/**
 * What becomes of a redirect (RFC 9110, section 15.4); undefined for any other answer. One that asks
 * for the same request at the same origin is followed. No other is, since the configured headers are
 * for that origin only; nor is it passed on, since a client that followed it would talk to the server
 * around the gateway.
 * @param url what was asked for
 */
export function redirectOf(
  url: string,
  statusCode: number,
  { location }: HeaderFields,
): Redirect | undefined {
  if (!REDIRECTS.has(statusCode)) return undefined;
  const from = `the server at ${shownUrl(url)} redirects`;
  const status = `(HTTP status ${statusCode})`;
  const target = targetOf(url, location);
  if (target === undefined) return { follow: false, reason: `${from} to no URL ${status}` };
  if (SAME_REQUEST.has(statusCode) && target.origin === new URL(url).origin) {
    return { follow: true, url: target.href };
  }
  const reason = `${from} to ${shownUrl(target.href)} ${status}, which is not followed; if that is the server, configure its URL`;
  return { follow: false, reason };
}

function targetOf(url: string, location: string | string[] | undefined): URL | undefined {
  if (typeof location !== "string" || !URL.canParse(location, url)) return undefined;
  const target = new URL(location, url);
  target.username = "";
  target.password = "";
  return /^https?:$/.test(target.protocol) ? target : undefined;
}
