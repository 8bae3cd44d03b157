import type { Logger } from "@touchstone/util";
import type { FaultOption } from "./mock/fault-options.ts";
import { type ArgumentsDecider, type MockedCall, MockServer } from "./mock/mock-server.ts";
import type { MockSource } from "./mock/source.ts";
import type { ListeningMock, MockAddress } from "./mock-listener.ts";

export { FAULT_KINDS, type FaultOption, readFaults } from "./mock/fault-options.ts";
export type { MockedCall, MockServer, RemovedSecrets } from "./mock/mock-server.ts";
export type { CaptureGaps } from "./mock/recordings.ts";
export { type ClientStreams, serveStdio } from "./mock/serve-stdio.ts";
export { type MockSource, openMockSources } from "./mock/source.ts";
export type { ListeningMock, MockAddress } from "./mock-listener.ts";

export interface MockSettings {
  readonly source: MockSource;
  /** Of generated results. Defaults to 0. */
  readonly seed?: number;
  /** Whether a call that is not recorded is an error. Defaults to false. */
  readonly strict?: boolean;
  /** Made in responses to tool calls. Defaults to none. */
  readonly faults?: readonly FaultOption[];
  /** Called for each tool call before its response is sent. */
  readonly onCall?: (call: MockedCall) => void;
  readonly log: Logger;
}

/** Returns an MCP server that returns what another one was recorded to return. */
export function makeMock(settings: MockSettings): MockServer {
  return new MockServer({ seed: 0, strict: false, faults: [], ...settings, decider });
}

/**
 * Returns how the tools of a mock differ from those that a lock file has of its server, one text each.
 * @throws CaptureError if the file is not a lock file, or has no such server; Error if it cannot be read
 */
export async function differencesFromLock(
  server: MockServer,
  name: string,
  file: string,
): Promise<readonly string[]> {
  const { changesFromLock } = await import("./mock/compare-lock.ts");
  return changesFromLock(file, name, server.declarations.tools);
}

/**
 * Serves a mock over Streamable HTTP, at `/mcp/` and this name. An HTTP server takes long to load, and few need it.
 * @throws RangeError if other machines can reach the address; ListenError if the system refuses it
 */
export async function serveHttp(
  server: MockServer,
  name: string,
  address: MockAddress,
  log: Logger,
): Promise<ListeningMock> {
  const { listenWithMock } = await import("./mock-listener.ts");
  return listenWithMock(server, name, address, log);
}

/** Decides as a gateway in strict mode does. It is loaded when the first call needs it. */
async function decider(tools: readonly string[]): Promise<ArgumentsDecider> {
  const { decideCalls } = await import("./server/decide-calls.ts");
  const calls = await decideCalls({ name: "mock", pages: [`{"tools":[${tools.join(",")}]}`] });
  return {
    async refusal(tool, args) {
      const { decision, text } = await calls.arguments({ tool, arguments: args });
      return decision === "blocked" ? (text ?? "") : undefined;
    },
  };
}
