import type picocolors from "picocolors";
import { counted } from "../terminal/counted.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Report, ReportFinding } from "./finding.ts";

type Colors = ReturnType<typeof picocolors.createColors>;

function place({ path, line, column }: ReportFinding): string {
  const at = line === undefined ? "" : ` (${line}:${column ?? 1})`;
  return `${path === "" ? "" : ` ${safeText(path)}`}${at}`;
}

/** A report for people: what was found, by subject, and a line that counts. */
export function renderPretty(report: Report, colors: Colors): string {
  const { findings, subjects } = report;
  const paint = { error: colors.red, warning: colors.yellow, note: colors.dim };
  const lines: string[] = [];
  for (const subject of new Set(findings.map((finding) => finding.subject))) {
    lines.push(colors.bold(safeText(subject)));
    for (const finding of findings.filter((each) => each.subject === subject)) {
      const { level, rule, message, fix } = finding;
      const head = `  ${paint[level](level)} ${rule}${place(finding)}: ${safeText(message)}`;
      lines.push(head, ...(fix === undefined ? [] : [colors.dim(`      ${safeText(fix)}`)]));
    }
  }
  const summary = (["error", "warning", "note"] as const).map((level) =>
    counted(findings.filter((finding) => finding.level === level).length, level),
  );
  lines.push(`${safeText(report.name)}: ${subjects.length} looked at, ${summary.join(", ")}`);
  return `${lines.join("\n")}\n`;
}
