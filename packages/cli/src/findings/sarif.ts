import { sarifLog, sarifUri } from "@touchstone/core";
import type { Report, ReportFinding } from "./finding.ts";

/** A pointer's place in SARIF: a region where the line is known, and the name of the subject. */
function location(name: string, { subject, path, line, column }: ReportFinding): object {
  const region =
    line === undefined ? {} : { region: { startLine: line, startColumn: column ?? 1 } };
  return {
    physicalLocation: { artifactLocation: { uri: sarifUri(name) }, ...region },
    logicalLocations: [{ name: subject, fullyQualifiedName: `${subject}${path}`, kind: "member" }],
  };
}

/** A report as a SARIF 2.1.0 log (OASIS Standard, 27 March 2020) with one run. */
export function renderSarifReport(report: Report, version: string): string {
  const ids = [...new Set(report.findings.map(({ rule }) => rule))].sort();
  const results = report.findings.map((finding) => ({
    ruleId: finding.rule,
    ruleIndex: ids.indexOf(finding.rule),
    level: finding.level,
    message: {
      text: finding.fix === undefined ? finding.message : `${finding.message}. ${finding.fix}`,
    },
    locations: [location(report.name, finding)],
  }));
  const rules = ids.map((id) => ({ id }));
  return sarifLog({ name: "touchstone", version }, rules, results);
}
