import { writeFileSync } from "node:fs";
import picocolors from "picocolors";
import { writeError } from "../io/write-error.ts";
import { wantsColour } from "../terminal/capable.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { terminalJson } from "../terminal/serialise.ts";
import type { FindingFormat, Level, Report, ReportFile } from "./finding.ts";
import { renderJunitReport } from "./junit.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderByFinding, renderPretty } from "./pretty.ts";
import { renderSarifReport } from "./sarif.ts";

/** The order of a report for people: each finding with the tools that have it, or each tool with its findings. */
export type ReportOrder = "finding" | "tool";

/**
 * Writes a report in the requested format, with colors only on a terminal that supports them.
 * @param failOn the lowest level that makes the command exit with 1, and that counts as a failure in JUnit
 * @param files additional files to write to, each in its own format
 * @throws CliExit 3 if one of them cannot be written
 */
export function writeReport(
  report: Report,
  format: FindingFormat,
  io: CliIo & { readonly version: string },
  failOn: Level = "warning",
  files: readonly ReportFile[] = [],
  by: ReportOrder = "tool",
): void {
  io.stdout.write(rendered(report, format, io, failOn, by));
  const plain = { ...io, stdout: { ...io.stdout, isTTY: false } };
  for (const { format: form, file } of files) {
    try {
      writeFileSync(file, rendered(report, form, plain, failOn, by));
    } catch (error) {
      throw writeError(file, error);
    }
  }
}

function rendered(
  report: Report,
  format: FindingFormat,
  io: CliIo & { readonly version: string },
  failOn: Level,
  by: ReportOrder,
): string {
  const text = {
    pretty: () => {
      const render = by === "finding" ? renderByFinding : renderPretty;
      return render(report, picocolors.createColors(wantsColour(io)));
    },
    json: () => terminalJson(report, "lines"),
    sarif: () => renderSarifReport(report, io.version),
    junit: () => renderJunitReport(report, failOn),
    markdown: () => renderMarkdown(report),
  }[format];
  return text();
}
