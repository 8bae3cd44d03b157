import { statSync } from "node:fs";
import { TouchstoneError } from "@touchstone/gateway/errors";
import type { Logger } from "@touchstone/gateway/log";
import { mockServer, Recordings, serveStdio } from "@touchstone/gateway/mock";
import { plural } from "@touchstone/util/plural";
import { commandLog } from "../gateway/command-log.ts";
import { CliExit, EXIT_OK, EXIT_USAGE } from "../io/exit.ts";
import { type ProcessIo, stopSignal } from "../io/process-io.ts";
import { readError } from "../io/read-error.ts";
import type { CheckingOptions } from "../options/common-options.ts";

export interface MockCommandOptions extends CheckingOptions {
  readonly server?: string;
  readonly strict?: boolean;
  readonly seed?: number;
}

/**
 * Serves a capture on the process's streams until the client leaves.
 * @throws CliExit 2 if the file is not a capture, 3 if it cannot be read
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
    const recordings = await readRecordings(file, options.server);
    try {
      logStart(recordings, log);
      const { seed, strict } = options;
      const server = mockServer({
        recordings,
        log,
        ...(seed === undefined ? {} : { seed }),
        ...(strict === true ? { strict } : {}),
      });
      await serveStdio(server, { input: io.stdin, output: io.stdoutStream, signal });
    } finally {
      recordings.close();
    }
  });
  io.exit(EXIT_OK);
}

async function readRecordings(file: string, server: string | undefined): Promise<Recordings> {
  try {
    const stat = statSync(file);
    // Opening a pipe would wait for its writer.
    if (!stat.isFile()) {
      throw new Error(`it is ${stat.isDirectory() ? "a directory" : "not a file"}; name a file`);
    }
    if (stat.size === 0) throw new CliExit(EXIT_USAGE, `${file}: no capture: the file is empty`);
    return await Recordings.read(file, server);
  } catch (error) {
    if (error instanceof CliExit || error instanceof TouchstoneError) throw error;
    throw readError(file, error);
  }
}

/** Logs what is served, and what the capture lacks. */
function logStart({ server, exchanges, tools, gaps }: Recordings, log: Logger): void {
  const served = plural(exchanges, "recorded response");
  log.info(`serving ${server} from a capture: ${served}, ${plural(tools, "tool")}`);
  if (gaps.malformed > 0) {
    const lines = plural(gaps.malformed, "line");
    log.warn(`${lines} of the capture cannot be read; the first is line ${gaps.firstMalformed}`);
  }
  if (gaps.lost > 0) log.warn(`${plural(gaps.lost, "frame")} of the capture were not written`);
  if (gaps.unanswered > 0) {
    log.warn(`${plural(gaps.unanswered, "recorded request")} without a response`);
  }
}
