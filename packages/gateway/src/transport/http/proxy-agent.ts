import { fetch, Pool, ProxyAgent } from "undici";

/** The proxy to use for a URL. */
export interface ProxyRoute {
  readonly proxy: URL;
  /** `Proxy-Authorization` for the user in the proxy's URL. */
  readonly token?: string;
  readonly fault?: undefined;
}

const NO_LIMITS = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * Connections through a proxy: a tunnel for `https:` (RFC 9110, section 9.3.6), the target's whole URL
 * in the request for `http:` (RFC 9112, section 3.2.2), since many proxies tunnel to port 443 only.
 */
export function proxyAgent({ proxy, token }: ProxyRoute): ProxyAgent {
  return new ProxyAgent({
    ...NO_LIMITS,
    uri: proxy.href,
    proxyTunnel: false,
    // Without this, requests without a tunnel would get undici's default limits.
    factory: (origin, options) => new Pool(origin, { ...options, ...NO_LIMITS }),
    ...(token === undefined ? {} : { token }),
  });
}

/** Returns a `fetch` that uses a proxy. */
export function proxiedFetch(way: ProxyRoute): typeof globalThis.fetch {
  const dispatcher = proxyAgent(way);
  // Node's own `fetch` does not accept a dispatcher of another undici; the types only differ in name.
  const through = (to: string, init: object = {}) => fetch(to, { ...init, dispatcher });
  return through as unknown as typeof globalThis.fetch;
}
