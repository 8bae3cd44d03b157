import {
  type ActivityReader,
  type ActivityRecord,
  parseActivityFilter,
  type StorePlace,
} from "@touchstone/gateway/activity";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../exit.ts";
import { wantsColour } from "../terminal/capable.ts";
import { safeText } from "../terminal/safe-text.ts";
import { answerFormat, writeAnswer } from "./answer.ts";
import { type ActivityIo, type Options, reportingActivityErrors } from "./options.ts";
import { openReader, placeOf } from "./reader.ts";
import { showText } from "./show-text.ts";

/** Crockford's base 32, in which ULIDs are written. */
const ID_PREFIX = /^[0-9A-HJKMNP-TV-Z]{1,26}$/i;
const MOST_CANDIDATES = 5;

/**
 * `touchstone activity show ID`: prints one record with every issue.
 *
 * @param id a record's id or the start of one that no other record shares, in any case
 * @throws CliExit 2 for a wrong option, or an id that is none or fits several records; 3 where there
 *   is no such record or the records cannot be read
 */
export async function runShow(io: ActivityIo, id: string, options: Options): Promise<void> {
  const format = answerFormat(options);
  if (!ID_PREFIX.test(id)) {
    throw new CliExit(
      EXIT_USAGE,
      `"${safeText(id.slice(0, 64))}" is no record id: it takes up to 26 letters and digits, as in ` +
        "the ID column of touchstone activity list",
    );
  }
  const place = await placeOf(io, options);
  const { found, decisions } = await reportingActivityErrors(async () => {
    const reader = await openReader(io, place);
    return reader === undefined ? { found: [], decisions: [] } : await search(reader, id);
  });
  const record = only(found, id, place);
  writeAnswer(io, format, record, () => showText(record, decisions, { colour: wantsColour(io) }));
}

interface Found {
  readonly found: readonly ActivityRecord[];
  /** What was decided about the call, if it is one that was found: there are the issues. */
  readonly decisions: readonly ActivityRecord[];
}

async function search(reader: ActivityReader, id: string): Promise<Found> {
  try {
    const found = await reader.findByPrefix(id, MOST_CANDIDATES + 1);
    const [record, another] = found;
    const request = record?.type === "tool_call" ? record.request_id : null;
    if (request === null || request === undefined || another !== undefined) {
      return { found, decisions: [] };
    }
    const input = { request, type: "policy_decision" };
    const { activities } = await reader.list(parseActivityFilter(input, new Date()));
    return { found, decisions: activities.toReversed() };
  } finally {
    await reader.close();
  }
}

function only(found: readonly ActivityRecord[], id: string, place: StorePlace): ActivityRecord {
  const [record, ...others] = found;
  if (record === undefined) {
    const [where, other] =
      "url" in place
        ? ["this store", "--store, --config or TOUCHSTONE_STORE choose another one"]
        : [place.dataDir, "--data-dir or TOUCHSTONE_DATA_DIR choose another data directory"];
    throw new CliExit(
      EXIT_FAILED,
      `There is no record ${id} in ${safeText(where)}. touchstone activity list shows the ids; ${other}.`,
    );
  }
  if (others.length > 0) {
    const ids = found.slice(0, MOST_CANDIDATES).map((candidate) => safeText(candidate.id));
    const more = found.length > MOST_CANDIDATES ? " and more" : "";
    throw new CliExit(
      EXIT_USAGE,
      `${id} fits several records: ${ids.join(", ")}${more}. Give more of the id.`,
    );
  }
  return record;
}
