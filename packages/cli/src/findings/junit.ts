import { xmlText } from "@touchstone/core/advanced";
import {
  findingText,
  hasFindings,
  type Level,
  type Report,
  type ReportFinding,
} from "./finding.ts";

function line(finding: ReportFinding): string {
  const { level, rule, path } = finding;
  return xmlText(`${level} ${rule}${path === "" ? "" : ` ${path}`}: ${findingText(finding)}`);
}

function testCase(
  name: string,
  subject: string,
  findings: readonly ReportFinding[],
  failOn: Level,
): string {
  const open = `    <testcase classname="${xmlText(name)}" name="${xmlText(subject)}"`;
  const text = findings.map(line).join("\n");
  if (text === "") return `${open}/>`;
  const counted = findings.filter((finding) => fails([finding], failOn)).length;
  if (counted === 0) return `${open}>\n      <system-out>${text}</system-out>\n    </testcase>`;
  const message = `${counted} finding${counted === 1 ? "" : "s"}`;
  return `${open}>\n      <failure message="${message}">${text}</failure>\n    </testcase>`;
}

function fails(findings: readonly ReportFinding[], failOn: Level): boolean {
  return hasFindings({ findings }, failOn);
}

/**
 * Returns a report as JUnit XML: a test case for each subject, which fails if it has a finding that makes the command
 * exit with 1, so that the file and the exit status agree.
 */
export function renderJunitReport({ name, subjects, findings }: Report, failOn: Level): string {
  const about = new Map<string, ReportFinding[]>(subjects.map((subject) => [subject, []]));
  for (const finding of findings) {
    const known = about.get(finding.subject);
    if (known === undefined) about.set(finding.subject, [finding]);
    else known.push(finding);
  }
  const failed = [...about.values()].filter((each) => fails(each, failOn));
  const counts = `tests="${about.size}" failures="${failed.length}" errors="0"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xmlText(name)}" ${counts}>`,
    ...[...about].map(([subject, each]) => testCase(name, subject, each, failOn)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ];
  return lines.join("\n");
}
