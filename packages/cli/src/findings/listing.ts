import { plural } from "@touchstone/util/plural";
import { LEVELS, type ReportFinding } from "./finding.ts";

/** Returns how many findings of each level there are, in words. */
export function countLevels(findings: readonly Pick<ReportFinding, "level">[]): string {
  return LEVELS.map((wanted) =>
    plural(findings.filter(({ level }) => level === wanted).length, wanted),
  ).join(", ");
}

/** What a format lists of a report's findings. */
export interface LimitedFindings {
  /** The most severe ones first. */
  readonly listed: readonly ReportFinding[];
  /** Those that it leaves out, which count like all others. */
  readonly left: readonly ReportFinding[];
}

/** Returns at most `most` findings to list: errors first, else in their order. */
export function limitFindings(findings: readonly ReportFinding[], most: number): LimitedFindings {
  const all = LEVELS.flatMap((wanted) => findings.filter(({ level }) => level === wanted));
  return { listed: all.slice(0, most), left: all.slice(most) };
}
