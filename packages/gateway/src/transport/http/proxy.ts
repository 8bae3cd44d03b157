import { BlockList, isIP, isIPv6 } from "node:net";
import { isLoopback, lateImport, parseUrl } from "@touchstone/util";
import type { ProxyRoute } from "./proxy-agent.ts";

const proxyAgent = lateImport(() => import("./proxy-agent.ts"), { isRare: true });

type Environment = Readonly<Record<string, string | undefined>>;

/** How to reach a URL: directly, or through a proxy; a fault if the variable does not contain a valid proxy. */
export type UrlRoute =
  | { readonly proxy?: undefined; readonly fault?: undefined }
  | ProxyRoute
  | { readonly proxy?: undefined; readonly fault: string };

const DIRECT: UrlRoute = {};

/**
 * Returns how to reach a URL by the variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; lower case wins if both are
 * set, as in curl. Each of the first two applies to its own scheme. `NO_PROXY` lists names (which include all of
 * their subdomains), IP addresses and networks in CIDR notation (RFC 4632), with `:PORT` for a single port; `*` means
 * everything. Loopback addresses always bypass the proxy.
 */
export function routeToUrl(url: string, env: Environment): UrlRoute {
  const { protocol, hostname, port } = new URL(url);
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = variable(env, name).trim();
  const host = withoutBrackets(hostname);
  if (value === "" || isLoopback(host)) return DIRECT;
  const at = { host, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) };
  const excepted = variable(env, "NO_PROXY").split(/[\s,]+/);
  if (excepted.some((entry) => matches(entry.toLowerCase(), at))) return DIRECT;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const proxy = parseUrl(text);
  if (proxy === undefined || !/^https?:$/.test(proxy.protocol)) {
    // The value may contain a password.
    return { fault: `the variable ${name} names no http:// or https:// URL of a proxy` };
  }
  try {
    return { proxy, ...tokenOf(proxy) };
  } catch {
    const fault = `the variable ${name} has a % in its user or password that must be written as %25`;
    return { fault };
  }
}

/** @throws URIError if a percent-encoding is broken */
function tokenOf({ username, password }: URL): { readonly token?: string } {
  if (username === "") return {};
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { token: `Basic ${Buffer.from(user).toString("base64")}` };
}

function variable(env: Environment, name: string): string {
  return env[name.toLowerCase()] ?? env[name] ?? "";
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

function matches(
  entry: string,
  { host, port }: { readonly host: string; readonly port: number },
): boolean {
  if (entry === "*") return true;
  // An IPv6 address contains colons, so it needs brackets before a port.
  const parts = isIPv6(entry) ? null : /^(.+):(\d+)$/.exec(entry);
  if (parts !== null && Number(parts[2]) !== port) return false;
  const name = withoutBrackets(parts?.[1] ?? entry).replace(/^\*?\./, "");
  if (name === "") return false;
  if (isIP(host) !== 0) return holds(name, host);
  return host === name || host.endsWith(`.${name}`);
}

/** Returns whether an address equals the given one, or is in the given network. */
function holds(network: string, host: string): boolean {
  const [address = "", bits, ...more] = network.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  const most = family === 6 ? 128 : 32;
  const prefix = bits === undefined ? most : Number(bits === "" ? Number.NaN : bits);
  if (!(Number.isInteger(prefix) && prefix >= 0 && prefix <= most)) return false;
  const list = new BlockList();
  list.addSubnet(address, prefix, family === 6 ? "ipv6" : "ipv4");
  return list.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

/**
 * Returns a `fetch` that reaches a URL according to the proxy variables. Code for proxies is loaded only if there is
 * one.
 * @throws Error if a variable names no proxy
 */
export async function fetchFor(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<typeof globalThis.fetch> {
  const way = routeToUrl(url, env);
  if (way.fault !== undefined) throw new Error(way.fault);
  if (way.proxy === undefined) return fetch;
  const { proxiedFetch } = await proxyAgent();
  return proxiedFetch(way);
}
