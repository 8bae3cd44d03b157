import { isIPv4, isIPv6 } from "node:net";
import { parseUrl } from "@touchstone/util";

export interface ListenAddress {
  /** A host name or an IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

const FORM = "write HOST:PORT, for example 127.0.0.1:7411, or [::1]:7411 for IPv6";
const HOST_NAME = /^(?=.{1,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.|$))+$/;

/**
 * Reads `HOST:PORT` or `[IPV6]:PORT` (RFC 3986, section 3.2.2); port 0 lets the system choose.
 *
 * @returns the address, or what is wrong with it
 */
export function parseListenAddress(text: string): ListenAddress | { readonly fault: string } {
  const parts = /^(?:\[([^\]]*)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text);
  if (parts === null) return { fault: `must be HOST:PORT; ${FORM}` };
  const [, ipv6, name, digits] = parts;
  const port = Number(digits);
  if (port > 65_535) return { fault: `the port must be from 0 to 65535, not ${port}` };
  if (ipv6 !== undefined) {
    return isIPv6(ipv6) ? { host: ipv6, port } : { fault: `no IPv6 address in brackets; ${FORM}` };
  }
  if (name === undefined || name === "")
    return { fault: `must name a host before the port; ${FORM}` };
  return isHost(name) ? { host: name, port } : { fault: `no host name or IP address; ${FORM}` };
}

/**
 * Returns whether a text is a host name (RFC 1123, section 2.1) or an IPv4 address. Digits and dots alone must be
 * IPv4.
 */
function isHost(host: string): boolean {
  return isIPv4(host) || (HOST_NAME.test(host) && !/(?:^|\.)[0-9]+\.?$/.test(host));
}

/** Returns what is wrong with a `Host` value (RFC 9110, section 7.2), if anything. */
export function hostFault(value: string): string | undefined {
  if (value.includes("*")) return "wildcards never match; list each host";
  const host = value.replace(/:[0-9]{1,5}$/, "");
  const ipv6 = /^\[(.*)\]$/.exec(host);
  if (ipv6 === null ? isHost(host) : isIPv6(ipv6[1] ?? "")) return undefined;
  return "must be a Host value: a name or IP address, with :PORT if clients send one";
}

/** Origins of browser extensions and of applications' views, whose schemes the URL Standard does not know. */
const OTHER_ORIGIN = /^(?!file:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::[0-9]{1,5})?$/;

/** A token (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'+.^_`|~\dA-Za-z-]{1,256}$/;

/** Returns why a value cannot be the name of a header that pages may send; undefined if it can. */
export function headerFault(value: string): string | undefined {
  if (value.includes("*")) return "wildcards never match; list each header";
  if (HEADER_NAME.test(value)) return undefined;
  return "must be the name of a header, such as x-request-id: letters, digits and hyphens";
}

/**
 * Returns what is wrong with an `Origin` value (RFC 6454, section 6.2), if anything. `null` is refused: anything that
 * hides its origin sends that.
 */
export function originFault(value: string): string | undefined {
  if (value.includes("*")) return "wildcards never match; list each origin";
  if (value === "null") {
    return 'must not be "null", which a sandboxed frame of any site also sends; list the page\'s own origin';
  }
  const origin = parseUrl(value)?.origin ?? "null";
  if (origin === value) return undefined;
  if (origin === "null" && OTHER_ORIGIN.test(value)) return undefined;
  if (origin !== "null") return `can never match as written; browsers send "${origin}"`;
  return "must be an origin: SCHEME://HOST, with :PORT if it is not the scheme's own";
}
