import type { IncomingHttpHeaders } from "node:http";
import { CONSOLE_HEADER } from "../access/access.ts";

const NAME = "touchstone_session";
/** 256 random bits in base64url. */
const VALUE = /^[\w-]{43}$/;
/** The most cookies of one name to look up: a browser has one, unless another site sets more. */
const MAX_VALUES = 4;

/** A cookie's name over HTTP, and over HTTPS, where browsers accept the prefix from the same host only (RFC 6265bis). */
interface Names {
  readonly plain: string;
  readonly secure: string;
}

/** Browsers send a host's cookies to all of its ports, so each port uses another name. */
function namesFor({ host = "" }: IncomingHttpHeaders): Names {
  const port = /:(\d{1,5})$/.exec(host)?.[1];
  const plain = port === undefined ? NAME : `${NAME}_${port}`;
  return { plain, secure: `__Host-${plain}` };
}

/** Returns the values of a request's cookies of one name, in the order in which they were sent. */
export function cookieValues({ cookie = "" }: IncomingHttpHeaders, name: string): string[] {
  return cookie.split(";").flatMap((part) => {
    const mark = part.indexOf("=");
    return mark > 0 && part.slice(0, mark).trim() === name ? [part.slice(mark + 1).trim()] : [];
  });
}

/**
 * Returns the values of a request's session cookies, in the order in which they were sent: those of the HTTPS name if
 * there is one, else those of the HTTP name. Returns none if there are more than four, because then another site has
 * set some of them.
 */
export function sessionValues(headers: IncomingHttpHeaders): readonly string[] {
  const { cookie } = headers;
  if (cookie === undefined || !cookie.includes(NAME)) return [];
  const { plain, secure } = namesFor(headers);
  const named = (name: string): readonly string[] => [
    ...new Set(cookieValues(headers, name).filter((value) => VALUE.test(value))),
  ];
  const ofHttps = named(secure);
  const values = ofHttps.length > 0 ? ofHttps : named(plain);
  return values.length > MAX_VALUES ? [] : values;
}

/**
 * Returns whether the console itself sends a request: the request has the console's header, and if the browser
 * reports the page's origin, it is this one. If a browser sends `Sec-Fetch-Site`, it has compared the origins itself;
 * others send `Origin` with every request that may change something (Fetch Standard, W3C Fetch Metadata).
 */
export function isFromConsole(headers: IncomingHttpHeaders): boolean {
  if (headers[CONSOLE_HEADER] !== "1") return false;
  const { origin, host = "", "sec-fetch-site": site } = headers;
  if (site !== undefined) return site === "same-origin";
  return origin === undefined || originHost(origin) === host.toLowerCase();
}

/**
 * Returns whether a page that was loaded over HTTPS sends a request: the request's origin shows that, whatever
 * proxies are in between.
 */
export function isOverHttps({ origin = "" }: IncomingHttpHeaders): boolean {
  return /^https:/i.test(origin);
}

/** Returns an origin's host and port, without the port that its scheme defaults to. */
function originHost(origin: string): string | undefined {
  return /^https?:\/\/([^/?#]+)$/i.exec(origin)?.[1]?.toLowerCase();
}

const ATTRIBUTES = "Path=/; HttpOnly; SameSite=Strict";

/** Returns the `Set-Cookie` header that signs a browser in. @param seconds how long the browser keeps it */
export function sessionCookie(
  headers: IncomingHttpHeaders,
  value: string,
  { seconds, secure }: { readonly seconds: number; readonly secure: boolean },
): string {
  const names = namesFor(headers);
  const attributes = `${ATTRIBUTES}; Max-Age=${Math.max(0, Math.floor(seconds))}`;
  return secure
    ? `${names.secure}=${value}; ${attributes}; Secure`
    : `${names.plain}=${value}; ${attributes}`;
}

/** Returns the `Set-Cookie` headers that remove a browser's cookies. */
export function removedCookies(headers: IncomingHttpHeaders): readonly string[] {
  const { plain, secure } = namesFor(headers);
  return [`${plain}=; ${ATTRIBUTES}; Max-Age=0`, `${secure}=; ${ATTRIBUTES}; Max-Age=0; Secure`];
}
