import type { DriftFinding, DriftReport } from "@touchstone/gateway/api";

const UNSURE: Readonly<Record<string, string>> = {
  parts: "values under branches, conditions or patterns",
  values: "values that it limits or lists",
  items: "items of long arrays beyond the first 50",
  names: "members whose names were not kept",
  depth: "values below 8 levels, or too many to keep",
};
/** Maximum length of a schema limit that is shown. */
const MAX_SAYS = 60;

function keywordOf({ says: value, keyword = "" }: DriftFinding): string {
  const says = JSON.stringify(value);
  const name = `"${keyword}"`;
  if (says === undefined) return name;
  return `${name}: ${says.length > MAX_SAYS ? `${says.slice(0, MAX_SAYS - 1)}…` : says}`;
}

/** Returns what a finding says, worded to follow its path. An unknown kind is shown by its name. */
export function driftSentence(finding: DriftFinding): string {
  const [count, of] = [finding.count, finding.of].map((number) => number.toLocaleString("en"));
  const types = (finding.types ?? []).join(", ");
  const closed = finding.closed === true ? "; the schema allows no others" : "";
  switch (finding.kind) {
    case "never_came":
      return `never occurred in ${of}${finding.required === true ? ", but is required" : ""}`;
    case "sometimes_missing":
      return `is required, but was missing in ${count} of ${of}`;
    case "undeclared":
      return `is not declared, but occurred in ${count} of ${of} (${types})${closed}`;
    case "unnamed":
      return `had ${count} members in ${of} whose names were not stored because they may be data${closed}`;
    case "other_value":
      return `broke ${keywordOf(finding)} in ${count} of ${of} results`;
    case "other_type":
      return `was ${types} in ${count} of ${of}; declared is ${(finding.declared ?? []).join(", ") || "nothing"}`;
    default:
      // A newer gateway may report kinds that this page does not know.
      return `${finding.kind as string}: ${count} of ${of}`;
  }
}

/** Describes the schema parts for which it is unknown whether the proposed schema accepts their values. */
export function uncertaintyText({
  proposed_unsure,
}: Pick<DriftReport, "proposed_unsure">): readonly string[] {
  return proposed_unsure.map((each) => UNSURE[each] ?? each);
}

/** Returns the tools with differences, those with the most first; with equal numbers, in their original order. */
export function differencesFirst<Tool extends { readonly findings: number }>(
  tools: readonly Tool[],
): readonly Tool[] {
  return tools.filter(({ findings }) => findings > 0).toSorted((a, b) => b.findings - a.findings);
}
