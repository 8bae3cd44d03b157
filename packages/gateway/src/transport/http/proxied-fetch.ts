import { wayTo } from "./proxy.ts";

/**
 * Returns a `fetch` that reaches a URL as the variables for proxies say. What reaches proxies is loaded if there is one.
 * @throws Error if a variable names no proxy
 */
export async function fetchFor(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<typeof globalThis.fetch> {
  const way = wayTo(url, env);
  if (way.fault !== undefined) throw new Error(way.fault);
  if (way.proxy === undefined) return fetch;
  const { proxiedFetch } = await import("./proxy-agent.ts");
  return proxiedFetch(way);
}
