import { counted } from "../terminal/counted.ts";
import { LEVELS, type ReportFinding } from "./finding.ts";

/** Returns how many findings of each level there are, in words. */
export function countedLevels(findings: readonly Pick<ReportFinding, "level">[]): string {
  return LEVELS.map((wanted) =>
    counted(findings.filter(({ level }) => level === wanted).length, wanted),
  ).join(", ");
}

/** What a format lists of a report's findings. */
export interface Listing {
  /** The most severe ones first. */
  readonly listed: readonly ReportFinding[];
  /** Those that it leaves out, which count like all others. */
  readonly left: readonly ReportFinding[];
}

/** Returns at most `most` findings to list: errors first, else in their order. */
export function listingOf(findings: readonly ReportFinding[], most: number): Listing {
  const all = LEVELS.flatMap((wanted) => findings.filter(({ level }) => level === wanted));
  return { listed: all.slice(0, most), left: all.slice(most) };
}
