import type { ReportFinding } from "./finding.ts";

/** Up to this number, findings are listed individually. */
const FEW = 2;
/** How many subjects of a group are named. */
const MAX_NAMED = 10;

/**
 * Returns findings for people: those with the same cause are combined into one finding with the number and names of
 * their subjects, at the position of the first.
 */
export function groupFindings(findings: readonly ReportFinding[]): readonly ReportFinding[] {
  const groups = new Map<string, ReportFinding[]>();
  for (const finding of findings) {
    if (finding.cause === undefined) continue;
    const group = groups.get(keyOf(finding));
    if (group === undefined) groups.set(keyOf(finding), [finding]);
    else group.push(finding);
  }
  return findings.flatMap((finding): readonly ReportFinding[] => {
    const group = finding.cause === undefined ? undefined : groups.get(keyOf(finding));
    const names = [...new Set(group?.map(({ subject }) => subject))];
    if (group === undefined || names.length <= FEW) return [finding];
    return group[0] === finding ? [together(finding, names)] : [];
  });
}

function keyOf({ rule, level, cause }: ReportFinding): string {
  return JSON.stringify([rule, level, cause]);
}

function together(first: ReportFinding, names: readonly string[]): ReportFinding {
  const { rule, level, cause = "" } = first;
  const more = names.length - MAX_NAMED;
  const named = names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  const subject = `${names.length} tools`;
  return { rule, level, subject, path: "", message: `${cause}, in ${named}`, cause };
}
