import type { ActivityReader } from "./store.ts";

/** Returns a reader that is created on first use: most processes only write. */
export function lazyReader(make: () => Promise<ActivityReader>): ActivityReader {
  let made: Promise<ActivityReader> | undefined;
  let closed = false;
  const reader = (): Promise<ActivityReader> => {
    made ??= closed ? ended() : make();
    return made;
  };
  /** Rejects calls after it is closed, as other readers do. */
  const ended = async (): Promise<ActivityReader> => {
    const unused = await make();
    await unused.close();
    return unused;
  };
  return {
    list: async (filter) => (await reader()).list(filter),
    get: async (id) => (await reader()).get(id),
    findByPrefix: async (prefix, limit) => (await reader()).findByPrefix(prefix, limit),
    scan: async (scope, page) => (await reader()).scan(scope, page),
    tail: async (position, limit) => (await reader()).tail(position, limit),
    summary: async (scope) => (await reader()).summary(scope),
    rollout: async (scope, settings) => (await reader()).rollout(scope, settings),
    sentCalls: async (scope) => (await reader()).sentCalls(scope),
    listedTools: async (server) => (await reader()).listedTools(server),
    declaredTexts: async (...of) => (await reader()).declaredTexts(...of),
    repairs: async (scope) => (await reader()).repairs(scope),
    drift: async (server, tool) => (await reader()).drift(server, tool),
    calls: async (filter) => (await reader()).calls(filter),
    call: async (id, filter) => (await reader()).call(id, filter),
    histogram: async (scope, options) => (await reader()).histogram(scope, options),
    values: async () => (await reader()).values(),
    overview: async (options) => (await reader()).overview(options),
    problems: async (filter, options) => (await reader()).problems(filter, options),
    problem: async (id, scope, options) => (await reader()).problem(id, scope, options),
    drifts: async (limit) => (await reader()).drifts(limit),
    sessions: async (filter) => (await reader()).sessions(filter),
    callers: async (filter) => (await reader()).callers(filter),
    chains: async () => (await reader()).chains(),
    readChain: async (chain, options) => (await reader()).readChain(chain, options),
    readLinks: async (chain, from, limit) => (await reader()).readLinks(chain, from, limit),
    erasures: async () => (await reader()).erasures(),
    checkStore: async () => (await reader()).checkStore(),
    usage: async () => (await reader()).usage(),
    async close() {
      closed = true;
      await (await made)?.close();
    },
  };
}
