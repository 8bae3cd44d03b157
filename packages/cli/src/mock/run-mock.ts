import { once } from "node:events";
import { closeSync, openSync, writeSync } from "node:fs";
import { TouchstoneError } from "@touchstone/gateway/errors";
import type { Logger } from "@touchstone/gateway/log";
import {
  differencesFromLock,
  type FaultOption,
  type MockAddress,
  type MockedCall,
  type MockServer,
  type MockSource,
  makeMock,
  openMockSources,
  type RemovedSecrets,
  readFaults,
  serveHttp,
  serveStdio,
} from "@touchstone/gateway/mock";
import { untilAborted } from "@touchstone/util";
import { plural } from "@touchstone/util/plural";
import { commandLog } from "../gateway/command-log.ts";
import { CliExit, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../io/exit.ts";
import { type ProcessIo, stopSignal } from "../io/process-io.ts";
import { readError } from "../io/read-error.ts";
import { writeError } from "../io/write-error.ts";
import type { CheckingOptions } from "../options/common-options.ts";
import { safeText } from "../terminal/safe-text.ts";

export interface MockCommandOptions extends CheckingOptions {
  readonly server?: string;
  readonly strict?: boolean;
  readonly seed?: number;
  readonly faults?: string;
  readonly listen?: string;
  readonly calls?: string;
  readonly lock?: string;
}

/**
 * Serves a capture, a lock file or a list of tools, or a capture with one of the others: on the process's streams until the client leaves, or over HTTP until
 * a signal comes.
 * @throws CaptureError if the file is none of these, CliExit 3 if it cannot be read
 */
export async function runMock(
  files: readonly string[],
  options: MockCommandOptions,
  io: ProcessIo,
): Promise<void> {
  const file = files.join(", ");
  const told = commandLog(options, io);
  const { log } = told;
  const signal = stopSignal(io);
  const faults = faultsIn(options.faults);
  const address = await addressIn(options.listen);
  await told.telling(async () => {
    const source = await opened(files, () => openMockSources(files, options.server));
    const calls = options.calls === undefined ? undefined : new CallFile(options.calls);
    try {
      const { seed = 0, strict = false } = options;
      const onCall = (call: MockedCall): void => calls?.add(call);
      const server = makeMock({ source, log, seed, strict, faults, onCall });
      const started = async (): Promise<void> => {
        await opened(files, () => Promise.race([source.recordings.indexed, untilAborted(signal)]));
        if (!source.recordings.isIndexed) return;
        if (options.lock !== undefined) await matchLock(server, source.server, file, options.lock);
        logStart(source, server.declarations.tools.length, log);
        logRemovedSecrets(server.removedSecrets(), log);
      };
      if (address !== undefined) {
        await started();
        await listen(server, source.server, address, { log, signal });
      } else if (options.lock === undefined) {
        // A client waits for its first responses, which need only the beginning of a capture.
        await serveWhile(started, (until) => serve(server, io, until), signal);
      } else {
        await started();
        await serve(server, io, signal);
      }
    } finally {
      source.recordings.close();
      calls?.close();
    }
  });
  io.exit(EXIT_OK);
}

/** @throws CliExit 1 with the differences if the tools are not those in a lock file, CliExit 3 if it cannot be read */
async function matchLock(
  server: MockServer,
  name: string,
  file: string,
  lock: string,
): Promise<void> {
  const differences = await differencesFromLock(server, name, lock).catch((error: unknown) => {
    throw error instanceof TouchstoneError ? error : readError(lock, error);
  });
  if (differences.length === 0) return;
  const [one, other] = [file, lock].map(safeText);
  const lines = differences.map((text) => `  ${safeText(text)}`).join("\n");
  const advice = "Record it again, or lock the tools that it has. From the lock to this file:";
  throw new CliExit(EXIT_FINDINGS, `${one} does not match ${other}. ${advice}\n${lines}`);
}

/** @throws CliExit 2 if the text is not an address, or other machines can reach it */
async function addressIn(text: string | undefined): Promise<MockAddress | undefined> {
  if (text === undefined) return undefined;
  const { isLoopback, parseListenAddress } = await import("@touchstone/gateway/config");
  const read = parseListenAddress(text);
  if ("fault" in read) throw new CliExit(EXIT_USAGE, `--listen: ${safeText(read.fault)}`);
  if (isLoopback(read.host)) return read;
  throw new CliExit(
    EXIT_USAGE,
    "--listen: a mock has no keys, so it listens at 127.0.0.1, [::1] or localhost. " +
      "For other machines, name the mock as a server's command, and start touchstone serve",
  );
}

function serve(server: MockServer, io: ProcessIo, signal: AbortSignal): Promise<void> {
  return serveStdio(server, { input: io.stdin, output: io.stdoutStream, signal });
}

/** Serves while the start is under way, and afterwards. If the start fails, it ends the serving, and throws. */
async function serveWhile(
  start: () => Promise<void>,
  serving: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  void untilAborted(signal).then(() => over.abort());
  const served = serving(over.signal);
  try {
    await start();
  } catch (error) {
    over.abort();
    await served;
    throw error;
  }
  await served;
}

async function listen(
  server: MockServer,
  name: string,
  address: MockAddress,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const listening = await serveHttp(server, name, address, log);
  log.info(`listening at ${listening.url}`);
  if (!signal.aborted) await once(signal, "abort");
  await listening.close();
}

/** Where tool calls are noted, one a line. Each is in the file before its client has a response. */
class CallFile {
  readonly #fd: number;

  /** @throws CliExit 3 if the file cannot be written */
  constructor(file: string) {
    try {
      this.#fd = openSync(file, "a", 0o600);
    } catch (error) {
      throw writeError(file, error);
    }
  }

  add({ tool, arguments: text, isRecorded, faults }: MockedCall): void {
    const noted = {
      tool,
      recorded: isRecorded,
      faults: faults.map(({ kind, path }) => ({ kind, path })),
    };
    const rest = JSON.stringify(noted).slice(1);
    writeSync(this.#fd, `{"arguments":${text.replaceAll(/[\n\r]/g, " ")},${rest}\n`);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** @throws CliExit 2 if the text does not list faults */
function faultsIn(text: string | undefined): readonly FaultOption[] {
  if (text === undefined) return [];
  const read = readFaults(text);
  if ("reason" in read) throw new CliExit(EXIT_USAGE, `--faults: ${safeText(read.reason)}`);
  return read.faults;
}

/** @throws CaptureError if the files cannot be served, CliExit 3 if one cannot be read */
async function opened<T>(files: readonly string[], open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof TouchstoneError) throw error;
    const file = files.find(
      (each) => error instanceof Error && "path" in error && error.path === each,
    );
    throw readError(file ?? files.join(", "), error);
  }
}

/** Logs what is served, and what a capture lacks. */
function logStart(
  { kind, declaredBy, server, recordings }: MockSource,
  tools: number,
  log: Logger,
): void {
  const { exchanges, gaps } = recordings;
  const served = kind === "capture" ? `${plural(exchanges, "recorded response")}, ` : "";
  const from = declaredBy === undefined ? kind : `${kind} with a ${declaredBy}`;
  log.info(`serving ${server} from a ${from}: ${served}${plural(tools, "tool")}`);
  if (gaps.malformed > 0) {
    const lines = plural(gaps.malformed, "line");
    log.warn(`${lines} of the capture cannot be read; the first is line ${gaps.firstMalformed}`);
  }
  if (gaps.lost > 0) log.warn(`${plural(gaps.lost, "frame")} of the capture were not written`);
  if (gaps.unanswered > 0) {
    log.warn(`${plural(gaps.unanswered, "recorded request")} without a response`);
  }
}

/** How many places a line names. */
const MAX_PLACES = 10;

function logRemovedSecrets(
  { responses, examined, filled, unfilled }: RemovedSecrets,
  log: Logger,
): void {
  if (responses === 0) return;
  const rest = examined < responses ? ` (${examined} of them examined)` : "";
  log.warn(`secrets were removed from ${plural(responses, "recorded response")}${rest}`);
  const named = (places: readonly string[]): string => {
    const more = places.length - MAX_PLACES;
    const listed = places.slice(0, MAX_PLACES).join(", ");
    return more > 0 ? `${listed} and ${more} more` : listed;
  };
  if (filled.length > 0) log.warn(`placeholders for removed secrets: ${named(filled)}`);
  if (unfilled.length > 0) {
    log.warn(`removed secrets that the output schema does not accept: ${named(unfilled)}`);
  }
}
