import {
  type ActivityError,
  type ActivityReader,
  openPlace,
  type StorePlace,
} from "@touchstone/gateway/activity";
import { foundConfig } from "../default-config.ts";
import { CliExit, EXIT_FAILED } from "../exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type ActivityIo, type Options, reportingActivityErrors, textOption } from "./options.ts";

/**
 * Where the records are: `--store`; where a gateway with the file of `--config` keeps them, if one is named; the
 * data directory that is typed; `TOUCHSTONE_STORE`; where the user's file says; else the usual data directory.
 * @throws ConfigError with all faults of the file
 */
export async function placeOf(io: ActivityIo, options: Options): Promise<StorePlace> {
  const url = textOption(options, "store") ?? (await storeAround(io, options));
  return url === undefined ? { dataDir: io.resolveDataDir(options) } : { url };
}

async function storeAround(io: ActivityIo, options: Options): Promise<string | undefined> {
  const { env } = io;
  if (textOption(options, "config") === undefined) {
    if (textOption(options, "dataDir") !== undefined) return undefined;
    if (env["TOUCHSTONE_STORE"]) return env["TOUCHSTONE_STORE"];
  }
  const file = configOf(io, options);
  if (file === undefined) return undefined;
  const { loadConfig } = await import("@touchstone/gateway/config");
  return loadConfig(file, { env }).activity.store;
}

/** Returns the file of `--config`, else the user's; never one of the directory, which may be anybody's. */
export function configOf(io: ActivityIo, options: Options): string | undefined {
  return textOption(options, "config") ?? foundConfig("user", io);
}

/** Of steps whose response is of use also where the newest records are missing in it. */
export const PARTIAL: { readonly partial: true } = { partial: true };

/**
 * Gives a step the records to read, and closes them behind it. Says on stderr if nothing has been
 * recorded yet.
 *
 * @param options.partial the step is of use also where a full disk hides the newest records, which is
 *   said on stderr, as it is to a user who may not see them
 * @returns what the step gives, or `undefined` if there are no records
 * @throws CliExit 2 for a bad filter, 3 where the records cannot be read
 */
export async function withReader<T>(
  io: ActivityIo,
  options: Options,
  step: (reader: ActivityReader) => Promise<T>,
  { partial = false }: { readonly partial?: boolean } = {},
): Promise<T | undefined> {
  return reportingActivityErrors(async () => {
    const place = await placeOf(io, options);
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
 * {@link withReader} for what has to have records.
 * @param undone what is then told not to have happened: "exported"
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
 * Returns how a command ends that had to have records and was given none by {@link withReader}: most likely it
 * looked in the wrong place, and a script should not treat that as success.
 */
export function withoutRecords(undone: string): CliExit {
  return new CliExit(
    EXIT_FAILED,
    `nothing was ${undone}; --data-dir or TOUCHSTONE_DATA_DIR choose another data directory`,
  );
}

/** Reports which records are missing; where they are needed on a full disk, that is an error. */
function telling(
  io: ActivityIo,
  { partial }: { readonly partial: boolean },
): (fault: ActivityError) => void {
  return (fault) => {
    if (!partial && fault.code === "WRITE_FAILED") throw fault;
    io.stderr.write(`touchstone: ${safeText(fault.message)}\n`);
  };
}

/** Returns the records of a place; `undefined` if nothing has been recorded. What is missing is said on stderr. */
export async function openReader(
  io: ActivityIo,
  place: StorePlace,
): Promise<ActivityReader | undefined> {
  return openPlace(place).existing(telling(io, { partial: false }));
}
