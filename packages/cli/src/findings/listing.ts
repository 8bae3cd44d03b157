import { plural } from "@touchstone/util/plural";
import { LEVELS, type ReportFinding } from "./finding.ts";

/** Returns the number of findings of each level, in words. */
export function countLevels(findings: readonly Pick<ReportFinding, "level">[]): string {
  return LEVELS.map((wanted) =>
    plural(findings.filter(({ level }) => level === wanted).length, wanted),
  ).join(", ");
}

/** The findings of a report that a format lists. */
export interface LimitedFindings {
  /** The listed findings, the most severe ones first. */
  readonly listed: readonly ReportFinding[];
  /** The findings that are not listed; they count like all others. */
  readonly left: readonly ReportFinding[];
}

/** Returns at most `most` findings to list: errors first, else in their order. */
export function limitFindings(findings: readonly ReportFinding[], most: number): LimitedFindings {
  const all = LEVELS.flatMap((wanted) => findings.filter(({ level }) => level === wanted));
  return { listed: all.slice(0, most), left: all.slice(most) };
}
