import { type ActivityReader, openPlace, type StorePlace } from "@touchstone/gateway/activity";
import { safeText } from "../terminal/safe-text.ts";
import { type ActivityIo, type Options, reportingActivityErrors, textOption } from "./options.ts";

/** Where the records are: `--store`, else `TOUCHSTONE_STORE`, else the data directory. */
export function placeOf(io: ActivityIo, options: Options): StorePlace {
  const url = textOption(options, "store") ?? (io.env["TOUCHSTONE_STORE"] || undefined);
  return url === undefined ? { dataDir: io.resolveDataDir(options) } : { url };
}

/**
 * Gives a step the records to read, and closes them behind it. Says on stderr where nothing has been
 * recorded yet.
 *
 * @returns what the step gives, or `undefined` where there are no records
 * @throws CliExit 2 for a bad filter, 3 where the records cannot be read
 */
export async function withReader<T>(
  io: ActivityIo,
  options: Options,
  step: (reader: ActivityReader) => Promise<T>,
): Promise<T | undefined> {
  return reportingActivityErrors(async () => {
    const reader = await openReader(placeOf(io, options));
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

/** The records of a place; `undefined` where nothing has been recorded. */
export async function openReader(place: StorePlace): Promise<ActivityReader | undefined> {
  return openPlace(place).existing();
}
