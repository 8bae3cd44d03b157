import { wayTo } from "./proxy.ts";

/**
 * Returns a `fetch` that reaches a URL as the variables for proxies say. What reaches proxies is loaded if there is one.
 * @throws Error if a variable names no proxy
 */
export async function fetchFor(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<typeof globalThis.fetch> {
  const { proxy, fault } = wayTo(url, env);
  if (proxy === undefined && fault === undefined) return fetch;
  const { proxiedFetch } = await import("./proxy-agent.ts");
  return proxiedFetch(url, env) ?? fetch;
}
