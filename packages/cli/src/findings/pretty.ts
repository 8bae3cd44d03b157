import { type Colors, diffLine } from "../terminal/diff-line.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Report, ReportFinding } from "./finding.ts";
import { gathered } from "./gather.ts";
import { countedLevels, listingOf } from "./listing.ts";

function place({ path, line, column }: ReportFinding): string {
  const at = line === undefined ? "" : ` (${line}:${column ?? 1})`;
  return `${path === "" ? "" : ` ${safeText(path)}`}${at}`;
}

/** Groups findings that differ only in their place. Each group stands where its first finding stood. */
function alike(findings: readonly ReportFinding[]): Iterable<[ReportFinding, ...ReportFinding[]]> {
  const groups = new Map<string, [ReportFinding, ...ReportFinding[]]>();
  for (const finding of findings) {
    const { rule, level, message, fix, shown } = finding;
    const key = JSON.stringify([rule, level, message, fix, shown]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return groups.values();
}

/** How many findings are listed; more would scroll away. */
const MAX_LISTED = 1_000;

/**
 * Returns a report for people: findings by subject, the worst first, then a line with totals of all. A finding at several
 * places of a subject is printed once.
 */
export function renderPretty(report: Report, colors: Colors): string {
  const { findings, subjects } = report;
  const { listed, left } = listingOf(gathered(findings), MAX_LISTED);
  const paint = { error: colors.red, warning: colors.yellow, note: colors.dim };
  const lines: string[] = [];
  for (const subject of new Set(listed.map((finding) => finding.subject))) {
    lines.push(colors.bold(safeText(subject)));
    const own = listed.filter((finding) => finding.subject === subject);
    for (const group of alike(own)) {
      const [{ level, rule, message, fix, shown }] = group;
      const head = `  ${paint[level](level)} ${rule}`;
      const said = safeText(message);
      const places = group.map(place).filter((at) => at !== "");
      if (places.length < 2) lines.push(`${head}${places.join("")}: ${said}`);
      else lines.push(`${head}: ${said}`, ...places.map((at) => `     ${at}`));
      for (const line of shown?.text.split("\n") ?? []) {
        const indent = "      ";
        lines.push(shown?.as === "diff" ? diffLine(line, indent, colors) : indent + safeText(line));
      }
      if (fix !== undefined) lines.push(colors.dim(`      ${safeText(fix)}`));
    }
  }
  if (left.length > 0) lines.push(`not listed: ${countedLevels(left)}; -o json lists all`);
  lines.push(`${safeText(report.name)}: ${subjects.length} checked, ${countedLevels(findings)}`);
  return `${lines.join("\n")}\n`;
}
