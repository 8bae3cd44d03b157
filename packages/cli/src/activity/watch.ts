import { setTimeout as pause } from "node:timers/promises";
import {
  ActivityError,
  type ActivityReader,
  type ActivityRecord,
  followActivity,
  isInScope,
} from "@touchstone/gateway/activity";
import { isEmitter } from "../io/closed-output.ts";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { wantsColour } from "../terminal/capable.ts";
import { safeText } from "../terminal/safe-text.ts";
import { terminalJson } from "../terminal/serialise.ts";
import { decisionAndStatus, paintDecision } from "./list-table.ts";
import {
  type ActivityIo,
  type Options,
  outputFormat,
  reportingActivityErrors,
  WATCH_FORMATS,
} from "./options.ts";
import { openReader, recordsPlace } from "./reader.ts";
import { readScope } from "./scope.ts";

const RETRY_MS = 1000;

/**
 * `touchstone activity watch`: prints records as they are written, until a signal is received, the output is closed,
 * or the time of `--until` is reached. If the records cannot be read, or there are none yet, it tries again each
 * second.
 *
 * @throws CliExit 2 for a wrong option, or a time of `--until` in the past; 3 if the records cannot be read at the
 *   start
 */
export async function runWatch(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, WATCH_FORMATS);
  const scope = await readScope(io, options);
  const place = await recordsPlace(io, options);
  const signal = endOf(io, scope.until);
  const print = (record: ActivityRecord): void => {
    if (!isInScope(record, scope)) return;
    io.stdout.write(
      format === "table" || format === "wide"
        ? watchLine(record, wantsColour(io), format === "wide")
        : terminalJson(record, "line"),
    );
  };
  const following: Following = { position: undefined };
  let reader = await reportingActivityErrors(() => openReader(io, place));
  while (!signal.aborted) {
    try {
      reader ??= await openReader(io, place);
      if (reader !== undefined) await follow(reader, following, signal, print);
      else if (following.position === undefined) {
        // If nothing had been recorded yet, the first record is a new one.
        following.position = BEGINNING;
        io.stderr.write("Nothing has been recorded yet. Waiting.\n");
      }
    } catch (error) {
      if (!(error instanceof ActivityError)) throw error;
      io.stderr.write(`${safeText(error.message)} Trying again.\n`);
    }
    await reader?.close();
    reader = undefined;
    if (!signal.aborted) await pause(RETRY_MS, undefined, { signal }).catch(() => {});
  }
}

/** The position before every record. */
const BEGINNING = `0-0-${"0".repeat(26)}`;

interface Following {
  position: string | undefined;
}

async function follow(
  reader: ActivityReader,
  following: Following,
  signal: AbortSignal,
  print: (record: ActivityRecord) => void,
): Promise<void> {
  for await (const { records, position } of followActivity(reader, {
    position: following.position,
    signal,
  })) {
    for (const record of records) print(record);
    following.position = position;
  }
}

/** As wide as the longest type, and as most decisions. */
const TYPE_CELLS = "policy_decision".length;
const VERDICT_CELLS = "warning/success".length;

/** Returns a line whose columns align with those of the previous line: columns of variable length come last. */
function watchLine(record: ActivityRecord, colour: boolean, isWide: boolean): string {
  const what = [record.server, record.tool].filter((name) => name !== null).join("/");
  const verdict = decisionAndStatus(record);
  const cells = [
    record.time,
    record.type.padEnd(TYPE_CELLS),
    paintDecision(verdict.padEnd(VERDICT_CELLS), colour),
    record.id,
    ...(isWide ? wideCells(record) : []),
    safeText(what),
    safeText(record.reason ?? ""),
  ];
  return `${cells.join("  ").trimEnd()}\n`;
}

/** Returns the further columns of a wide line. */
function wideCells({ direction, mode, outcome, request_id }: ActivityRecord): readonly string[] {
  return [direction, mode, outcome, request_id].map((cell) => cell ?? "-");
}

/** The longest delay of a Node timer, in milliseconds. */
const MAX_WAIT_MS = 2 ** 31 - 1;
/** How long to search for records that were written just before the end, in milliseconds. */
const LATE_MS = 1000;

/** Ends a watch shortly after a given time. */
function endAt(until: Date, io: ActivityIo, signal: AbortSignal, end: () => void): void {
  const left = until.getTime() - io.now().getTime();
  const isLast = left + LATE_MS <= MAX_WAIT_MS;
  const again = isLast ? end : (): void => endAt(until, io, signal, end);
  const timer = setTimeout(again, isLast ? left + LATE_MS : MAX_WAIT_MS);
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
}

/**
 * Returns a signal that is aborted when the process receives a signal, when the output is closed (for example by
 * `head`), and at the given time.
 * @throws CliExit 2 if that time is in the past
 */
function endOf(io: ActivityIo, until: Date | undefined): AbortSignal {
  if (until !== undefined && until <= io.now()) {
    const what = "--until: watch prints records from now on; name a time in the future";
    throw new CliExit(EXIT_USAGE, what);
  }
  const controller = new AbortController();
  const end = (): void => controller.abort();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) io.signals?.once(name, end);
  const { stdout } = io;
  if (isEmitter(stdout)) stdout.once("error", end).once("close", end);
  if (until !== undefined) endAt(until, io, controller.signal, end);
  return controller.signal;
}
