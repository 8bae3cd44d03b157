import picocolors from "picocolors";
import type { CliIo } from "../io.ts";
import { wantsColour } from "../terminal/capable.ts";
import { toJson } from "../terminal/serialise.ts";
import type { FindingFormat, Level, Report } from "./finding.ts";
import { renderJunitReport } from "./junit.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderPretty } from "./pretty.ts";
import { renderSarifReport } from "./sarif.ts";

/**
 * Writes a report in the form that was asked for; colours only on a terminal that wants them.
 * @param failOn the least level that ends the command with 1, and is a failure in JUnit's words
 */
export function writeReport(
  report: Report,
  format: FindingFormat,
  io: CliIo & { readonly version: string },
  failOn: Level = "warning",
): void {
  const text = {
    pretty: () => renderPretty(report, picocolors.createColors(wantsColour(io))),
    json: () => toJson(report, "lines"),
    sarif: () => renderSarifReport(report, io.version),
    junit: () => renderJunitReport(report, failOn),
    markdown: () => renderMarkdown(report),
  }[format];
  io.stdout.write(text());
}
