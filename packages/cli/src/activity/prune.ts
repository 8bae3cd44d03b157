import { openPlace, type Retention } from "@touchstone/gateway/activity";
import { plural } from "@touchstone/util/plural";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { ownAuthor } from "../io/user-name.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type ActivityIo, type Options, reportingActivityErrors, textOption } from "./options.ts";
import { recordsPlace, withRecords } from "./reader.ts";

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * `touchstone activity prune`: removes the oldest records until the given limits hold, and records who did that.
 *
 * @throws CliExit 2 for a wrong option or none, 3 if the records cannot be removed or there are none
 */
export async function runPrune(io: ActivityIo, options: Options): Promise<void> {
  const retention: Retention = {
    maxAgeMs: age(textOption(options, "olderThan")),
    maxRecords: whole("--max-records", textOption(options, "maxRecords")),
    maxBytes: whole("--max-bytes", textOption(options, "maxBytes")),
  };
  if (Object.values(retention).every((bound) => bound === undefined)) {
    const names = "--older-than, --max-records or --max-bytes";
    throw new CliExit(EXIT_USAGE, `give a bound: ${names}`);
  }
  const reason = textOption(options, "reason");
  await withRecords(io, options, "removed", async () => {});
  const removed = await reportingActivityErrors(async () => {
    const pruner = await openPlace(await recordsPlace(io, options)).pruner();
    try {
      return (await pruner.prune(retention, { author: { ...ownAuthor(), reason } })).removed;
    } finally {
      await pruner.close();
    }
  });
  io.stdout.write(`${plural(removed, "record")} removed\n`);
}

function age(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined)
    throw bad("--older-than", text, "a length of time such as 30m, 24h or 90d");
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}

function whole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw bad(name, text, "a whole number");
  return Number(text);
}

function bad(name: string, text: string, wanted: string): CliExit {
  return new CliExit(EXIT_USAGE, `${name}: "${safeText(text.slice(0, 64))}" is not ${wanted}`);
}
