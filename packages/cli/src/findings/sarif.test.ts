import { expect, it } from "vitest";
import type { Report, ReportFinding } from "./finding.ts";
import { renderSarifReport } from "./sarif.ts";

const found = (more: Partial<ReportFinding> = {}): ReportFinding => ({
  ...{ rule: "b-rule", level: "warning", subject: "add", path: "/a", message: "is odd", ...more },
});

function run(...findings: readonly ReportFinding[]) {
  const report: Report = { name: "my tools.json", subjects: ["add"], findings };
  const log = JSON.parse(renderSarifReport(report, "1.2.3"));
  expect(log).toMatchObject({
    version: "2.1.0",
    runs: [{ tool: { driver: { version: "1.2.3" } } }],
  });
  return log.runs[0];
}

it("lists each rule once, in order, and findings refer to theirs by index", () => {
  const { tool, results } = run(found(), found({ rule: "a-rule", level: "error" }), found());
  expect(tool.driver.rules).toEqual([{ id: "a-rule" }, { id: "b-rule" }]);
  expect(
    results.map(({ ruleId, ruleIndex, level }: Record<string, unknown>) => [
      ruleId,
      ruleIndex,
      level,
    ]),
  ).toEqual([
    ["b-rule", 1, "warning"],
    ["a-rule", 0, "error"],
    ["b-rule", 1, "warning"],
  ]);
});

it.each([
  [{}, { startLine: 1, startColumn: 1 }],
  [{ line: 3 }, { startLine: 3, startColumn: 1 }],
  [
    { line: 3, column: 7 },
    { startLine: 3, startColumn: 7 },
  ],
])("writes the region of a finding with %j", (place, region) => {
  const [{ locations }] = run(found(place)).results;
  expect(locations).toEqual([
    {
      physicalLocation: {
        artifactLocation: { uri: "my%20tools.json" },
        region,
      },
      logicalLocations: [{ name: "add", fullyQualifiedName: "add/a", kind: "member" }],
    },
  ]);
});

it("appends the fix to the message if there is one", () => {
  const { results } = run(found(), found({ fix: "Fix it." }));
  expect(results.map(({ message }: { message: object }) => message)).toEqual([
    { text: "is odd" },
    { text: "is odd. Fix it." },
  ]);
});

it("gives findings fingerprints by what they are about, whatever their lines and texts", () => {
  const prints = (...findings: readonly ReportFinding[]): string[] =>
    run(...findings).results.map(
      (result: { partialFingerprints: { primaryLocationLineHash: string } }) =>
        result.partialFingerprints.primaryLocationLineHash,
    );
  const [first = ""] = prints(found());
  expect(first).toMatch(/^[0-9a-f]{16}:1$/);
  expect(prints(found({ line: 9, column: 2, message: "is very odd" }))).toEqual([first]);
  expect(prints(found(), found({ line: 3 }))).toEqual([first, first.replace(":1", ":2")]);
  for (const other of [
    { rule: "a-rule" },
    { path: "/b" },
    { subject: "sub" },
    { file: "b.json" },
  ]) {
    expect(prints(found(other))).not.toContain(first);
  }
});
