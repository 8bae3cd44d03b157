import { safeLines, safeText } from "../terminal/safe-text.ts";
import { LEVELS, type Level, type Report, type ReportFinding } from "./finding.ts";
import { groupFindings } from "./group-findings.ts";
import { countLevels } from "./listing.ts";

/** A GitHub comment has at most 65,536 characters; this limit leaves room for a line before it. */
const MAX_LENGTH = 60_000;
/** Longer values and changes are truncated. */
const MAX_SHOWN = 4_000;
const HEADINGS: Readonly<Record<Level, string>> = {
  error: "Errors",
  warning: "Warnings",
  note: "Notes",
};

/** Returns a run of backticks that is longer than any in a text. */
function ticksFor(text: string, least: number): string {
  const runs = text.match(/`+/g) ?? [];
  return "`".repeat(Math.max(least, ...runs.map(({ length }) => length + 1)));
}

/** Returns external text as inline code, so that no markup, link or mention in it takes effect. */
function code(text: string): string {
  const shown = safeText(text);
  const ticks = ticksFor(shown, 1);
  const pad = ticks.length > 1 || /^[` ]|[` ]$/.test(shown) ? " " : "";
  return `${ticks}${pad}${shown}${pad}${ticks}`;
}

/** Returns our own text without markup, because it may quote external text. */
function words(text: string): string {
  return safeText(text).replaceAll(/[\\`*_{}[\]<>#|~@&!]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

function item({ subject, path, rule, message, fix, shown }: ReportFinding): string {
  const place = path === "" ? "" : ` ${code(path)}`;
  const lines = [`- **${code(subject)}**${place} ${code(rule)}: ${words(message)}`];
  if (shown !== undefined) {
    const text = safeLines(
      shown.text.length > MAX_SHOWN ? `${shown.text.slice(0, MAX_SHOWN)}…` : shown.text,
    );
    const fence = ticksFor(text, 3);
    lines.push(
      "",
      ...[`${fence}${shown.as}`, ...text.split("\n"), fence].map((line) => `  ${line}`),
    );
  }
  if (fix !== undefined) lines.push(`  ${words(fix)}`);
  return lines.join("\n");
}

/**
 * Returns a report as GitHub Flavored Markdown for a comment or a job summary: at most 60,000 characters, with the
 * number of findings left out. All external text is shown as code.
 */
export function renderMarkdown({ name, subjects, findings }: Report): string {
  const parts = [`### ${code(name)}\n\n${subjects.length} checked, ${countLevels(findings)}\n`];
  let length = parts.join("").length;
  const listed = groupFindings(findings);
  const left = new Set(listed);
  for (const level of LEVELS) {
    const own = listed.filter((finding) => finding.level === level);
    if (own.length === 0) continue;
    parts.push(`\n#### ${HEADINGS[level]}\n\n`);
    for (const finding of own) {
      const text = item(finding);
      if (length + text.length > MAX_LENGTH) break;
      length += text.length + 1;
      left.delete(finding);
      parts.push(`${text}\n`);
    }
  }
  if (left.size > 0) {
    parts.push(`\nand ${left.size} more, which do not fit here: ${countLevels([...left])}\n`);
  }
  return parts.join("");
}
