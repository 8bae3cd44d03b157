import { xmlText } from "@touchstone/core";
import type { Report, ReportFinding } from "./finding.ts";

function line({ level, rule, path, message, fix = "" }: ReportFinding): string {
  return xmlText(`${level} ${rule}${path === "" ? "" : ` ${path}`}: ${message} ${fix}`.trim());
}

function testCase(name: string, subject: string, findings: readonly ReportFinding[]): string {
  const open = `    <testcase classname="${xmlText(name)}" name="${xmlText(subject)}"`;
  const text = findings.map(line).join("\n");
  if (text === "") return `${open}/>`;
  const counted = findings.filter(({ level }) => level !== "note").length;
  if (counted === 0) return `${open}>\n      <system-out>${text}</system-out>\n    </testcase>`;
  const message = `${counted} finding${counted === 1 ? "" : "s"}`;
  return `${open}>\n      <failure message="${message}">${text}</failure>\n    </testcase>`;
}

/** A report as JUnit XML: a test case for each subject, a failure where it has errors or warnings. */
export function renderJunitReport({ name, subjects, findings }: Report): string {
  const about = new Map<string, ReportFinding[]>(subjects.map((subject) => [subject, []]));
  for (const finding of findings) {
    const known = about.get(finding.subject);
    if (known === undefined) about.set(finding.subject, [finding]);
    else known.push(finding);
  }
  const failed = [...about.values()].filter((each) => each.some(({ level }) => level !== "note"));
  const counts = `tests="${about.size}" failures="${failed.length}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xmlText(name)}" ${counts}>`,
    ...[...about].map(([subject, each]) => testCase(name, subject, each)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}
