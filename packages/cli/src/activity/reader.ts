import {
  type ActivityError,
  type ActivityReader,
  openPlace,
  type StorePlace,
} from "@touchstone/gateway/activity";
import { foundConfig } from "../config-file/default-config.ts";
import { CliExit, EXIT_FAILED } from "../io/exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type ActivityIo, type Options, reportingActivityErrors, textOption } from "./options.ts";

/**
 * Returns the place of the records: `--store`; the store of the file of `--config`, if one is named; the data
 * directory on the command line; `TOUCHSTONE_STORE`; the store in the user's file; else the default data directory.
 * @throws ConfigError with all faults of the file
 */
export async function recordsPlace(io: ActivityIo, options: Options): Promise<StorePlace> {
  const url = textOption(options, "store") ?? (await storeAround(io, options));
  return url === undefined ? { dataDir: io.resolveDataDir(options) } : { url };
}

async function storeAround(io: ActivityIo, options: Options): Promise<string | undefined> {
  const { env } = io;
  if (textOption(options, "config") === undefined) {
    if (textOption(options, "dataDir") !== undefined) return undefined;
    if (env["TOUCHSTONE_STORE"]) return env["TOUCHSTONE_STORE"];
  }
  const file = recordsConfig(io, options);
  if (file === undefined) return undefined;
  const { loadConfig } = await import("@touchstone/gateway/config");
  return loadConfig(file, { env }).activity.store;
}

/**
 * Returns the file of `--config`, else the user's; never one in the current directory, which may belong to somebody
 * else.
 */
export function recordsConfig(io: ActivityIo, options: Options): string | undefined {
  return textOption(options, "config") ?? foundConfig("user", io);
}

/** For commands whose response is useful even without the newest records. */
export const ALLOW_PARTIAL: { readonly partial: true } = { partial: true };

/**
 * Opens the records for a function, and closes them afterward. Says on stderr if nothing has been recorded yet.
 *
 * @param options.partial whether the response is useful even if a full disk hides the newest records; stderr then
 *   reports that, also to a user who may not read them
 * @returns the function's result; undefined if there are no records
 * @throws CliExit 2 for a bad filter, 3 if the records cannot be read
 */
export async function withReader<T>(
  io: ActivityIo,
  options: Options,
  step: (reader: ActivityReader) => Promise<T>,
  { partial = false }: { readonly partial?: boolean } = {},
): Promise<T | undefined> {
  return reportingActivityErrors(async () => {
    const place = await recordsPlace(io, options);
    const reader = await openPlace(place).existing(telling(io, { partial }));
    if (reader === undefined) {
      const dataDir = safeText(io.resolveDataDir(options));
      io.stderr.write(`No activity has been recorded in ${dataDir}.\n`);
      return undefined;
    }
    try {
      return await step(reader);
    } finally {
      await reader.close();
    }
  });
}

/**
 * Runs {@link withReader} for commands that need records.
 * @param undone what was not done, for the message: "exported"
 * @throws CliExit 3 if there are none
 */
export async function withRecords<T>(
  io: ActivityIo,
  options: Options,
  undone: string,
  step: (reader: ActivityReader) => Promise<T>,
): Promise<T> {
  const done = await withReader(io, options, async (reader) => ({ result: await step(reader) }));
  if (done === undefined) throw withoutRecords(undone);
  return done.result;
}

/**
 * Returns the error of a command that needs records but got none from {@link withReader}: most likely it searched in
 * the wrong place, and a script should not treat that as success.
 */
export function withoutRecords(undone: string): CliExit {
  return new CliExit(
    EXIT_FAILED,
    `nothing was ${undone}; --data-dir or TOUCHSTONE_DATA_DIR choose another data directory`,
  );
}

/** Returns a function that reports which records are missing; if they are needed and the disk is full, it throws. */
function telling(
  io: ActivityIo,
  { partial }: { readonly partial: boolean },
): (fault: ActivityError) => void {
  return (fault) => {
    if (!partial && fault.code === "WRITE_FAILED") throw fault;
    io.stderr.write(`touchstone: ${safeText(fault.message)}\n`);
  };
}

/** Returns the records of a place; undefined if nothing has been recorded. Reports missing ones on stderr. */
export async function openReader(
  io: ActivityIo,
  place: StorePlace,
): Promise<ActivityReader | undefined> {
  return openPlace(place).existing(telling(io, { partial: false }));
}
