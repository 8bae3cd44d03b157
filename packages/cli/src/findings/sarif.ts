import { sarifFingerprints, sarifLog } from "@touchstone/core/advanced";
import { artifactUri } from "./artifact-uri.ts";
import {
  findingText,
  type Report,
  type ReportFinding,
  UNREACHABLE_RULE,
  UNREADABLE_RULE,
} from "./finding.ts";
import { countLevels, limitFindings } from "./listing.ts";

/**
 * Returns the SARIF location of a pointer, with the name of the subject. Uses the first line if none is known, since
 * GitHub code scanning shows no result without a line.
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

/** GitHub code scanning refuses a run with more results ("SARIF support for code scanning", limits). */
const MAX_RESULTS = 25_000;

/**
 * Returns a report as a SARIF 2.1.0 log (OASIS Standard, 27 March 2020) with one run, which is marked as failed if a
 * file could not be read or a server could not be queried.
 */
export function renderSarifReport(report: Report, version: string): string {
  const ids = [...new Set(report.findings.map(({ rule }) => rule))].sort();
  const { listed, left } =
    report.findings.length > MAX_RESULTS
      ? limitFindings(report.findings, MAX_RESULTS)
      : { listed: report.findings, left: [] };
  const fingerprint = sarifFingerprints();
  const results = listed.map((finding) => ({
    ruleId: finding.rule,
    ruleIndex: ids.indexOf(finding.rule),
    level: finding.level,
    message: { text: findingText(finding) },
    locations: [location(report.name, finding)],
    partialFingerprints: fingerprint(
      ...[artifactUri(finding.file ?? report.name), finding.rule, finding.subject, finding.path],
    ),
  }));
  const rules = ids.map((id) => ({ id }));
  const isWhole = !ids.includes(UNREADABLE_RULE) && !ids.includes(UNREACHABLE_RULE);
  const note = left.length === 0 ? [] : [`not listed: ${countLevels(left)}`];
  return sarifLog({ name: "touchstone", version }, rules, results, isWhole, note);
}
