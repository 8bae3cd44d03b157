import { isLoopback, type Logger } from "@touchstone/util";
import { MockEndpoint } from "./mock/http-endpoint.ts";
import type { MockServer } from "./mock/mock-server.ts";
import { admitRequest } from "./server/access/access.ts";
import { hostAndPort } from "./server/access/rules.ts";
import { type Listener, listen } from "./server/listener.ts";
import { type App, MCP_PATH, pathOf, sendRefusal } from "./server/mcp-routes.ts";
import { DEFAULT_IDLE } from "./settings/schema.ts";
import { DEFAULT_LIMITS } from "./settings/sections.ts";
import { UnfinishedBodies } from "./transport/http/unfinished-bodies.ts";

/** Where a mock listens. */
export interface MockAddress {
  /** Only this machine can reach it. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
}

/** A mock that listens. */
export interface ListeningMock extends Pick<Listener, "close"> {
  readonly url: string;
}

/**
 * Serves a mock over Streamable HTTP, with the gateway's limits and its rules about hosts and origins.
 * @throws RangeError if other machines can reach the address: no client needs a key
 * @throws ListenError if the system refuses the address
 */
export async function listenWithMock(
  server: MockServer,
  name: string,
  { host, port }: MockAddress,
  log: Logger,
): Promise<ListeningMock> {
  if (!isLoopback(host)) throw new RangeError(`a mock has no keys, so it cannot listen at ${host}`);
  const listener = await listen({
    host,
    port,
    access: { allowedHosts: [], allowedOrigins: [] },
    maxRequestBytes: DEFAULT_LIMITS.requestBytes,
    idleMs: DEFAULT_IDLE * 1_000,
    bodies: new UnfinishedBodies({ limits: DEFAULT_LIMITS, log }),
    endpoints: new Map([[name, new MockEndpoint(server)]]),
    app: notFound(name),
    log,
  });
  return {
    url: `http://${hostAndPort(listener)}${MCP_PATH}${encodeURIComponent(name)}`,
    close: () => listener.close(),
  };
}

function notFound(name: string): App {
  return async (request, response, { access }) => {
    const { answered, refusal } = await admitRequest(request, response, access);
    if (answered || response.closed) return;
    request.resume();
    const message = `only ${MCP_PATH}${encodeURIComponent(name)} is served here`;
    sendRefusal(response, pathOf(request), refusal ?? { status: 404, code: "NOT_FOUND", message });
  };
}
