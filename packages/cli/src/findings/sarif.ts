import { sarifLog } from "@touchstone/core";
import { artifactUri } from "./artifact-uri.ts";
import {
  findingText,
  type Report,
  type ReportFinding,
  UNASKED_RULE,
  UNREAD_RULE,
} from "./finding.ts";

/**
 * Returns a pointer's place in SARIF: the first line if none is known, since GitHub's code scanning shows no
 * result without a line, and the name of the subject.
 */
function location(
  name: string,
  { subject, path, file = name, line = 1, column = 1 }: ReportFinding,
): object {
  const region = { startLine: line, startColumn: column };
  return {
    physicalLocation: { artifactLocation: { uri: artifactUri(file) }, region },
    logicalLocations: [{ name: subject, fullyQualifiedName: `${subject}${path}`, kind: "member" }],
  };
}

/**
 * Returns a report as a SARIF 2.1.0 log (OASIS Standard, 27 March 2020) with one run, which has failed where a file
 * could not be read, or a server not be asked.
 */
export function renderSarifReport(report: Report, version: string): string {
  const ids = [...new Set(report.findings.map(({ rule }) => rule))].sort();
  const results = report.findings.map((finding) => ({
    ruleId: finding.rule,
    ruleIndex: ids.indexOf(finding.rule),
    level: finding.level,
    message: { text: findingText(finding) },
    locations: [location(report.name, finding)],
  }));
  const rules = ids.map((id) => ({ id }));
  const isWhole = !ids.includes(UNREAD_RULE) && !ids.includes(UNASKED_RULE);
  return sarifLog({ name: "touchstone", version }, rules, results, isWhole);
}
