import {
  type Erasure,
  type ErasureRequest,
  type ErasureSubject,
  namesSubject,
  openPlace,
} from "@touchstone/gateway/activity";
import { plural } from "@touchstone/util/plural";
import { askToConfirm } from "../io/confirm.ts";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { ownAuthor } from "../io/user-name.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type ActivityIo, type Options, reportingActivityErrors, textOption } from "./options.ts";
import { recordsPlace, withRecords } from "./reader.ts";
import { responseFormat, writeResponse } from "./response-format.ts";

/** Other places of the data, which no store knows about. */
const ELSEWHERE = [
  "files of activity export and capture, and what was sent as telemetry or alerts",
  "backups of the store, and snapshots of its disk",
  "logs of the gateway, its servers and its clients",
];

/**
 * `touchstone activity erase`: erases arguments, results and names of one caller or session in the records.
 *
 * @throws CliExit 2 for a wrong option or without a confirmation, 3 if the records cannot be changed or there are none
 */
export async function runErase(io: ActivityIo, options: Options): Promise<void> {
  const format = responseFormat(options);
  const subject = subjectOf(options);
  const reason = textOption(options, "reason");
  if (reason !== undefined && namesSubject(reason, subject)) {
    throw new CliExit(
      EXIT_USAGE,
      "--reason is recorded, so it must not name the caller or session",
    );
  }
  await withRecords(io, options, "erased", async () => {});
  const author = { ...ownAuthor(), reason };
  const request: ErasureRequest = { subject, dryRun: true, author, source: "cli" };
  const preview = await erased(io, options, request);
  if (options["dryRun"] === true) {
    writeResponse(io, format, preview, () => `${whatOf(preview, "would be erased")}\n`);
    return;
  }
  const question = `${whatOf(preview, "will be erased, which cannot be undone")}. Erase? [y/N] `;
  if (options["yes"] !== true && !(await askToConfirm(io, question))) {
    throw new CliExit(EXIT_USAGE, "nothing was erased: confirm on a terminal, or give --yes");
  }
  const done = await erased(io, options, { ...request, dryRun: false });
  writeResponse(io, format, done, () => doneText(done));
}

function subjectOf(options: Options): ErasureSubject {
  const caller = textOption(options, "caller");
  const session = textOption(options, "session");
  if (caller !== undefined && caller !== "" && session === undefined) return { caller };
  if (session !== undefined && session !== "" && caller === undefined) return { session };
  throw new CliExit(EXIT_USAGE, "give either --caller NAME or --session ID");
}

async function erased(io: ActivityIo, options: Options, request: ErasureRequest): Promise<Erasure> {
  return reportingActivityErrors(async () => {
    const eraser = await openPlace(await recordsPlace(io, options)).eraser();
    try {
      return await eraser.erase(request);
    } finally {
      await eraser.close();
    }
  });
}

function whatOf(
  { records, approvals, requests, console_sessions: sessions, views }: Erasure,
  done: string,
): string {
  const parts = [
    `the content of ${plural(records, "record")}`,
    ...(approvals > 0 ? [`the name at ${plural(approvals, "approval")}`] : []),
    ...(requests > 0 ? [plural(requests, "open request")] : []),
    ...(sessions > 0
      ? [plural(sessions, "session of the console", "sessions of the console")]
      : []),
    ...(views > 0 ? [plural(views, "saved view")] : []),
  ];
  return `${parts.join(", ")} ${done}`;
}

function doneText(done: Erasure): string {
  const { edited, unsalted, remains, erasure } = done;
  const lines = [`${whatOf(done, "erased")} (erasure ${erasure})`];
  if (edited > 0) {
    lines.push(
      `${plural(edited, "record")} had been changed by something other than touchstone: their content was erased as ` +
        "well, and touchstone activity verify still reports them",
    );
  }
  if (unsalted > 0) {
    lines.push(
      `${plural(unsalted, "record")} from before records had a salt: who guesses everything that was erased can ` +
        "confirm it by the record's hash, until retention removes the record",
    );
  }
  for (const line of remains) lines.push(`in the store: ${safeText(line)}`);
  for (const line of ELSEWHERE) lines.push(`not erased: ${line}`);
  return `${lines.join("\n")}\n`;
}
