import { TouchstoneError } from "@touchstone/gateway/errors";
import type { Logger } from "@touchstone/gateway/log";
import { type MockSource, mockServer, readSource, serveStdio } from "@touchstone/gateway/mock";
import { plural } from "@touchstone/util/plural";
import { commandLog } from "../gateway/command-log.ts";
import { EXIT_OK } from "../io/exit.ts";
import { type ProcessIo, stopSignal } from "../io/process-io.ts";
import { readError } from "../io/read-error.ts";
import type { CheckingOptions } from "../options/common-options.ts";

export interface MockCommandOptions extends CheckingOptions {
  readonly server?: string;
  readonly strict?: boolean;
  readonly seed?: number;
}

/**
 * Serves a capture, a lock file or a list of tools on the process's streams until the client leaves.
 * @throws CaptureError if the file is none of these, CliExit 3 if it cannot be read
 */
export async function runMock(
  file: string,
  options: MockCommandOptions,
  io: ProcessIo,
): Promise<void> {
  const told = commandLog(options, io);
  const { log } = told;
  const signal = stopSignal(io);
  await told.telling(async () => {
    const source = await sourceIn(file, options.server);
    try {
      const { seed = 0, strict = false } = options;
      const server = mockServer({ source, log, seed, strict });
      logStart(source, server.declarations.tools.length, log);
      await serveStdio(server, { input: io.stdin, output: io.stdoutStream, signal });
    } finally {
      source.recordings.close();
    }
  });
  io.exit(EXIT_OK);
}

async function sourceIn(file: string, server: string | undefined): Promise<MockSource> {
  try {
    return await readSource(file, server);
  } catch (error) {
    if (error instanceof TouchstoneError) throw error;
    throw readError(file, error);
  }
}

/** Logs what is served, and what a capture lacks. */
function logStart({ kind, server, recordings }: MockSource, tools: number, log: Logger): void {
  const { exchanges, gaps } = recordings;
  const served = kind === "capture" ? `${plural(exchanges, "recorded response")}, ` : "";
  log.info(`serving ${server} from a ${kind}: ${served}${plural(tools, "tool")}`);
  if (gaps.malformed > 0) {
    const lines = plural(gaps.malformed, "line");
    log.warn(`${lines} of the capture cannot be read; the first is line ${gaps.firstMalformed}`);
  }
  if (gaps.lost > 0) log.warn(`${plural(gaps.lost, "frame")} of the capture were not written`);
  if (gaps.unanswered > 0) {
    log.warn(`${plural(gaps.unanswered, "recorded request")} without a response`);
  }
}
