import type { Provider } from "../providers/provider.ts";

/** Returns whether a provider accepts a keyword anywhere. */
export function takes({ allowed, refused }: Provider, keyword: string): boolean {
  return allowed === undefined ? !refused?.has(keyword) : allowed.has(keyword);
}
