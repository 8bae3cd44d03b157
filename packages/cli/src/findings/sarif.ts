import { isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { sarifLog, sarifUri } from "@touchstone/core";
import type { Report, ReportFinding } from "./finding.ts";

/**
 * A file's name, or a server's, as a URI reference (RFC 3986, section 4.2): what stands before a colon, as
 * the host before its port, is no scheme. Code scanning takes places in the repository only.
 */
function uriOf(name: string): string {
  if (isAbsolute(name)) return pathToFileURL(name.toWellFormed()).href;
  return sarifUri(name.split(sep).join("/")).replaceAll(":", "%3A");
}

/**
 * A pointer's place in SARIF: the first line where none is known, since GitHub's code scanning shows no
 * result without a line, and the name of the subject.
 */
function location(
  name: string,
  { subject, path, file = name, line = 1, column = 1 }: ReportFinding,
): object {
  const region = { startLine: line, startColumn: column };
  return {
    physicalLocation: { artifactLocation: { uri: uriOf(file) }, region },
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
