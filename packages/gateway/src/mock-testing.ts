import { fileURLToPath } from "node:url";
import { createLogger } from "@touchstone/util";
import { type CapturedCall, capturedCall } from "./mock/captured-call.ts";
import type { FaultKind } from "./mock/fault-options.ts";
import { differencesFromLock, makeMock, openMockSources, readFaults, serveHttp } from "./mock.ts";

export type { CapturedCall } from "./mock/captured-call.ts";

/** How a mock behaves. */
export interface MockServerOptions {
  /** The server, if the file has several. */
  readonly server?: string;
  /** Whether a call that is not recorded is an error. Default: false. */
  readonly strict?: boolean;
  /** Of generated results and faults. Default: 0. */
  readonly seed?: number;
  /** What to do wrong in responses to tool calls: `KIND[:RATE],…`, as `touchstone mock --faults` takes it. */
  readonly faults?: string;
  /** A lock file. If the tools of the mock differ from those in it, the mock does not start. */
  readonly lock?: string | URL;
  /** Gets each line of the log. Default: there is no log. */
  readonly log?: (line: string) => void;
}

/** Something that a mock did wrong on purpose. */
export interface OccurredFault {
  readonly kind: FaultKind;
  /** Empty for `drift`. */
  readonly tool: string;
  /** Where it is: a pointer into the result. */
  readonly path?: string;
}

/** An MCP server for a test. */
export interface MockedServer {
  /** Where it listens, for clients of both eras. */
  readonly url: string;
  readonly captured: {
    /** Returns the tool calls so far, in order. */
    calls(): readonly CapturedCall[];
  };
  readonly faults: {
    /** Returns what was done wrong so far, in order. */
    occurred(): readonly OccurredFault[];
  };
  close(): Promise<void>;
}

/**
 * Starts an MCP server in this process that returns what another one was recorded to return.
 * @param source a capture, a lock file, or a file with a `tools/list` result; or a capture with one of the others, whose
 *   lists count
 * @throws CaptureError if the file is none of these; RangeError for unknown faults; Error if it cannot be read,
 *   or the tools differ from the lock's
 */
export async function mockServer(
  source: string | URL | readonly (string | URL)[],
  options: MockServerOptions = {},
): Promise<MockedServer> {
  const { server, strict, seed, faults, lock, log: write } = options;
  const read = faults === undefined ? { faults: [] } : readFaults(faults);
  if ("reason" in read) throw new RangeError(`faults: ${read.reason}`);
  const files = (Array.isArray(source) ? source : [source]).map(pathOf);
  const log = createLogger(write ?? (() => {}), write === undefined ? "silent" : "info");
  const from = await openMockSources(files, server);
  const calls: CapturedCall[] = [];
  try {
    await from.recordings.indexed;
    const mock = makeMock({
      source: from,
      ...read,
      ...(strict === undefined ? {} : { strict }),
      ...(seed === undefined ? {} : { seed }),
      onCall: (call) => calls.push(capturedCall(call)),
      log,
    });
    const locked = lock === undefined ? undefined : pathOf(lock);
    const differences =
      locked === undefined ? [] : await differencesFromLock(mock, from.server, locked);
    if (differences.length > 0) {
      throw new Error(`${files.join(", ")} does not match ${locked}:\n${differences.join("\n")}`);
    }
    const address = { host: "127.0.0.1", port: 0 };
    const listening = await serveHttp(mock, from.server, address, log);
    const close = async (): Promise<void> => {
      await listening.close();
      from.recordings.close();
    };
    return {
      url: listening.url,
      captured: { calls: () => [...calls] },
      faults: {
        occurred: () =>
          mock.faults.map(({ kind, tool, path }) => ({
            kind,
            tool,
            ...(path === undefined ? {} : { path }),
          })),
      },
      close,
    };
  } catch (error) {
    from.recordings.close();
    throw error;
  }
}

function pathOf(file: string | URL): string {
  return file instanceof URL ? fileURLToPath(file) : file;
}
