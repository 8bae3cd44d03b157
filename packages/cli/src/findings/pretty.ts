import { plural } from "@touchstone/util/plural";
import { type Colors, diffLine } from "../terminal/diff-line.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Report, ReportFinding } from "./finding.ts";
import { groupFindings } from "./group-findings.ts";
import { countLevels, limitFindings } from "./listing.ts";

function place({ path, line, column }: ReportFinding): string {
  const at = line === undefined ? "" : ` (${line}:${column ?? 1})`;
  return `${path === "" ? "" : ` ${safeText(path)}`}${at}`;
}

/** Groups findings that differ only in their place. Each group is at the position of its first finding. */
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
  const { findings } = report;
  const { listed, left } = limitFindings(groupFindings(findings), MAX_LISTED);
  const paint = paintOf(colors);
  const lines: string[] = [];
  for (const subject of new Set(listed.map((finding) => finding.subject))) {
    lines.push(colors.bold(safeText(subject)));
    const own = listed.filter((finding) => finding.subject === subject);
    for (const group of alike(own)) {
      const [{ level, rule, message, fix }] = group;
      const head = `  ${paint[level](level)} ${rule}`;
      const said = safeText(message);
      const places = group.map(place).filter((at) => at !== "");
      if (places.length < 2) lines.push(`${head}${places.join("")}: ${said}`);
      else lines.push(`${head}: ${said}`, ...places.map((at) => `     ${at}`));
      lines.push(...shownLines(group[0], colors));
      if (fix !== undefined) lines.push(colors.dim(`      ${safeText(fix)}`));
    }
  }
  return withTotals(lines, left, report);
}

/** How many subjects of a finding are named, and how many places in a subject. */
const MAX_NAMED = 12;

/** Returns a report for people like {@link renderPretty}, but each finding once, with the subjects that have it. */
export function renderByFinding(report: Report, colors: Colors): string {
  // Groups are made first, so that a group counts all of its findings.
  const groups = [...alike(limitFindings(report.findings, Number.POSITIVE_INFINITY).listed)];
  const lines = groups.slice(0, MAX_LISTED).flatMap((group) => groupLines(group, report, colors));
  return withTotals(lines, groups.slice(MAX_LISTED).flat(), report);
}

function groupLines(
  group: readonly [ReportFinding, ...ReportFinding[]],
  report: Report,
  colors: Colors,
): readonly string[] {
  const [first] = group;
  const { level, rule, message, fix } = first;
  const head = `${paintOf(colors)[level](level)} ${rule}`;
  const said = safeText(message);
  const names = [...new Set(group.map(({ subject }) => subject))];
  const places = [...new Set(group.map(place))];
  const shared = places.length === 1 ? places[0] : undefined;
  const lines =
    names.length === 1
      ? [`${head}, ${colors.bold(safeText(first.subject))}${shared ?? ""}: ${said}`]
      : [
          `${head}, ${countedTools(names, report)}${shared ?? ""}: ${said}`,
          `      ${namesOf(group, shared)}`,
        ];
  if (names.length === 1 && shared === undefined) {
    lines.push(...places.slice(0, MAX_NAMED).map((at) => `     ${at}`));
    if (places.length > MAX_NAMED) lines.push(`      and ${places.length - MAX_NAMED} more`);
  }
  lines.push(...shownLines(first, colors));
  if (fix !== undefined) lines.push(colors.dim(`      ${safeText(fix)}`));
  return lines;
}

/** Returns how many checked tools are among the names, and how many responses. */
function countedTools(names: readonly string[], { subjects, responses = [] }: Report): string {
  const others = names.filter((name) => responses.includes(name)).length;
  const tools = `${names.length - others} of ${plural(subjects.length - responses.length, "tool")}`;
  if (others === 0) return tools;
  const replies = plural(others, "response");
  return others === names.length ? replies : `${replies} and ${tools}`;
}

/** Returns the subjects of findings, each with its place if the places differ and each subject has one. */
function namesOf(group: readonly ReportFinding[], shared: string | undefined): string {
  const subjects = new Set(group.map(({ subject }) => subject));
  const hasPlaces = shared === undefined && subjects.size === group.length;
  const names = [
    ...new Set(group.map((each) => safeText(each.subject) + (hasPlaces ? place(each) : ""))),
  ];
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function paintOf(colors: Colors) {
  return { error: colors.red, warning: colors.yellow, note: colors.dim };
}

function shownLines({ shown }: ReportFinding, colors: Colors): readonly string[] {
  const indent = "      ";
  return (shown?.text.split("\n") ?? []).map((line) =>
    shown?.as === "diff" ? diffLine(line, indent, colors) : indent + safeText(line),
  );
}

function withTotals(
  lines: readonly string[],
  left: readonly ReportFinding[],
  { name, subjects, findings }: Report,
): string {
  const more = left.length === 0 ? [] : [`not listed: ${countLevels(left)}; -o json lists all`];
  const totals = `${safeText(name)}: ${subjects.length} checked, ${countLevels(findings)}`;
  return `${[...lines, ...more, totals].join("\n")}\n`;
}
