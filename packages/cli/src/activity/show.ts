import type {
  ActivityReader,
  ActivityRecord,
  ActivityScope,
  StorePlace,
} from "@touchstone/gateway/activity";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../io/exit.ts";
import { wantsColour } from "../terminal/capable.ts";
import { safeText } from "../terminal/safe-text.ts";
import {
  type ActivityIo,
  type Options,
  outputFormat,
  reportingActivityErrors,
  SUMMARY_FORMATS,
} from "./options.ts";
import { openReader, recordsPlace } from "./reader.ts";
import { callOfDecision, findRelated, type RelatedRecords, shortIds } from "./related-records.ts";
import { writeResponse } from "./response-format.ts";
import { readScope } from "./scope.ts";
import { showText } from "./show-text.ts";

/** Crockford's base 32, in which ULIDs are written. */
const ID_PREFIX = /^[0-9A-HJKMNP-TV-Z]{1,26}$/i;
const MOST_CANDIDATES = 5;

/**
 * `touchstone activity show ID`: prints one record with every issue, its call, the decisions about that, and the next
 * attempt.
 *
 * @param id a record's id, or a unique prefix of one
 * @throws CliExit 2 for a wrong option, or an id that is invalid or matches several records; 3 if there is no such
 *   record or the records cannot be read
 */
export async function runShow(io: ActivityIo, id: string, options: Options): Promise<void> {
  const format = outputFormat(options, SUMMARY_FORMATS);
  if (!ID_PREFIX.test(id)) {
    throw new CliExit(
      EXIT_USAGE,
      `"${safeText(id.slice(0, 64))}" is not a record id: it takes up to 26 letters and digits, as in ` +
        "the ID column of touchstone activity list",
    );
  }
  await showFound(io, options, format, {
    find: async (reader) => only(await reader.findByPrefix(id, MOST_CANDIDATES + 1), id),
    missing: (where, other) =>
      `There is no record ${id} in ${where}. touchstone activity list shows the ids; ${other}.`,
  });
}

/**
 * `touchstone activity last`: prints the newest call, or with `--blocked` the newest blocked one, as `show` does.
 * @throws CliExit 2 for a wrong option; 3 if there is no such call or the records cannot be read
 */
export async function runLast(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, SUMMARY_FORMATS);
  const scope = await readScope(io, options);
  const isBlocked = options["blocked"] === true;
  const what = isBlocked ? "blocked call" : "call";
  const warnings = isBlocked
    ? "touchstone activity list --decision warning shows what was forwarded with a warning; "
    : "";
  await showFound(io, options, format, {
    find: (reader) => newest(reader, scope, isBlocked),
    missing: (where, other) => `There is no such ${what} in ${where}; ${warnings}${other}.`,
  });
}

/** The statuses of calls that a check, policy, a pin or narrow blocked. */
const BLOCKED = ["blocked", "denied", "held", "out_of_bounds"] as const;

/** Finds the newest call, or the decision about a blocked message that is not a call. */
async function newest(
  reader: ActivityReader,
  scope: ActivityScope,
  isBlocked: boolean,
): Promise<ActivityRecord | undefined> {
  const first = async (more: Partial<ActivityScope>): Promise<ActivityRecord | undefined> =>
    (await reader.list({ ...scope, ...more, limit: 1, offset: 0 })).activities[0];
  if (!isBlocked) return first({ types: ["tool_call"] });
  const call = await first({ types: ["tool_call"], statuses: BLOCKED });
  const decision = await first({ types: ["policy_decision"], decisions: ["blocked"] });
  if (decision === undefined || (call !== undefined && call.id > decision.id)) return call;
  return (await callOfDecision(reader, decision)) ?? decision;
}

/** The record to show. */
interface Wanted {
  find(reader: ActivityReader): Promise<ActivityRecord | undefined>;
  /** Returns the error that there is no such record, where it was searched for, and how to choose another place. */
  missing(where: string, other: string): string;
}

/**
 * Prints a record and its related records.
 * @throws CliExit 3 if it is missing
 */
async function showFound(
  io: ActivityIo,
  options: Options,
  format: (typeof SUMMARY_FORMATS)[number],
  { find, missing }: Wanted,
): Promise<void> {
  const place = await recordsPlace(io, options);
  const shown = await reportingActivityErrors(async () => {
    const reader = await openReader(io, place);
    try {
      const record = reader && (await find(reader));
      if (reader === undefined || record === undefined) {
        const [where, other] = whereOf(place);
        throw new CliExit(EXIT_FAILED, missing(safeText(where), other));
      }
      const related = await findRelated(reader, record);
      const { call, decisions, next } = related;
      const others = [call, next, ...decisions].filter((one) => one !== undefined);
      return { record, related, ids: await shortIds(reader, others) };
    } finally {
      await reader?.close();
    }
  });
  const { record, related, ids } = shown;
  writeResponse(io, format, joined(record, related), () =>
    showText(record, related, { ids, colour: wantsColour(io), isWide: format === "wide" }),
  );
}

/** Returns a record, with its related records, if any, under `related`. */
function joined(record: ActivityRecord, { call, decisions, next, change }: RelatedRecords): object {
  const related = {
    ...(call === undefined ? {} : { call }),
    ...(decisions.length === 0 ? {} : { decisions }),
    ...(next === undefined ? {} : { next_attempt: next }),
    ...(change === undefined ? {} : { change: { diff: change.diff, changes: change.changes } }),
  };
  return Object.keys(related).length === 0 ? record : { ...record, related };
}

function whereOf(place: StorePlace): readonly [where: string, other: string] {
  return "url" in place
    ? ["this store", "--store, --config or TOUCHSTONE_STORE choose another one"]
    : [place.dataDir, "--data-dir or TOUCHSTONE_DATA_DIR choose another data directory"];
}

/** @throws CliExit 2 if there are several */
function only(found: readonly ActivityRecord[], id: string): ActivityRecord | undefined {
  if (found.length > 1) {
    const ids = found.slice(0, MOST_CANDIDATES).map((candidate) => safeText(candidate.id));
    const more = found.length > MOST_CANDIDATES ? " and more" : "";
    throw new CliExit(
      EXIT_USAGE,
      `${id} fits several records: ${ids.join(", ")}${more}. Give more of the id.`,
    );
  }
  return found[0];
}
