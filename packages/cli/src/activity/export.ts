import { type ExportFormat, exportActivity, parseSearch } from "@touchstone/gateway/activity";
import { plural } from "@touchstone/util/plural";
import { Progress } from "../terminal/progress.ts";
import { escapeUnsafe, safeLines, safeText } from "../terminal/safe-text.ts";
import { type ActivityIo, EXPORT_FORMATS, type Options, outFile, outputFormat } from "./options.ts";
import { withRecords } from "./reader.ts";
import { readScope } from "./scope.ts";
import { withTextOutput } from "./text-output.ts";

/**
 * `touchstone activity export`: writes all records that match the filters, oldest first, to a file or to stdout.
 *
 * @throws CliExit 2 for a wrong option, 3 if the records cannot be read, there are none, or the file cannot be
 *   written
 */
export async function runExport(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, EXPORT_FORMATS);
  const scope = await readScope(io, options, undefined, parseSearch);
  const file = outFile(options);
  await withRecords(io, options, "exported", async (reader) => {
    let written = 0;
    const progress = new Progress(io);
    const isShown = file === undefined && io.stdout.isTTY === true;
    const whole = await withTextOutput(io, file, async (write) => {
      for await (const { text, records } of exportActivity(reader, scope, format)) {
        await write(inert(text, format, isShown));
        written += records;
        if (!isShown) progress.at(() => plural(written, "record"));
      }
      return true;
    }).finally(() => progress.clear());
    if (file !== undefined && whole === true) {
      io.stderr.write(`${plural(written, "record")} written to ${safeText(file)}\n`);
    }
  });
}

/** For JSON, the escaped text has the same value. CSV has no escapes, so its text is only changed on a terminal. */
function inert(text: string, format: ExportFormat, isShown: boolean): string {
  if (format !== "csv") return escapeUnsafe(text, "json");
  return isShown ? text.split("\r\n").map(safeLines).join("\r\n") : text;
}
