import type { ActivityReader } from "./store.ts";

/** A reader that is made with its first use: most processes only write. */
export function lazyReader(make: () => Promise<ActivityReader>): ActivityReader {
  let made: Promise<ActivityReader> | undefined;
  const reader = (): Promise<ActivityReader> => {
    made ??= make();
    return made;
  };
  return {
    list: async (filter) => (await reader()).list(filter),
    get: async (id) => (await reader()).get(id),
    findByPrefix: async (prefix, limit) => (await reader()).findByPrefix(prefix, limit),
    scan: async (scope, page) => (await reader()).scan(scope, page),
    tail: async (position, limit) => (await reader()).tail(position, limit),
    summary: async (scope) => (await reader()).summary(scope),
    rollout: async (scope) => (await reader()).rollout(scope),
    drift: async (server, tool) => (await reader()).drift(server, tool),
    chains: async () => (await reader()).chains(),
    readChain: async (chain, options) => (await reader()).readChain(chain, options),
    readLinks: async (chain, from, limit) => (await reader()).readLinks(chain, from, limit),
    usage: async () => (await reader()).usage(),
    close: async () => (await reader()).close(),
  };
}
