import { LEVELS, type Report } from "../findings/finding.ts";

/** How many findings a result lists, and how long each text may be. */
const MAX_FINDINGS = 50;
const MAX_TEXT = 600;

/** Returns a report as a result of a size that suits a model. */
export function boundedReport({ name, subjects, findings }: Report): object {
  const count = (level: string): number => findings.filter((one) => one.level === level).length;
  const sorted = LEVELS.flatMap((level) => findings.filter((one) => one.level === level));
  return {
    name: cut(name),
    examined: subjects.length,
    errors: count("error"),
    warnings: count("warning"),
    notes: count("note"),
    findings: sorted.slice(0, MAX_FINDINGS).map((finding) => ({
      level: finding.level,
      rule: cut(finding.rule),
      subject: cut(finding.subject),
      path: cut(finding.path),
      message: cut(finding.message),
      fix: cut(finding.fix ?? ""),
    })),
    omitted: Math.max(0, findings.length - MAX_FINDINGS),
  };
}

/** Returns the first characters of a long text. */
export function cut(text: string, most: number = MAX_TEXT): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
