import { writeFileSync } from "node:fs";
import { join } from "node:path";
import picocolors from "picocolors";
import { beforeAll, describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { outcomeOf, tempDir } from "../testing/touchstone.ts";
import type { Report, ReportFinding } from "./finding.ts";
import { renderJunitReport } from "./junit.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderByFinding, renderPretty } from "./pretty.ts";
import { renderSarifReport } from "./sarif.ts";

/** Many tools without descriptions of their parameters, and a broken one at the end. */
const undescribed = (count: number, parameters: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `tool_${at}`,
    description: "Lists items.",
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: parameters }, (_, k) => [`p${k}`, { type: "string" }]),
      ),
    },
  }));
const BROKEN = {
  name: "broken",
  description: "Is broken.",
  inputSchema: { type: "object", properties: { a: { type: "strng", description: "d" } } },
};

let file: string;
beforeAll(() => {
  file = join(tempDir({ onTestFinished: () => {} } as never), "tools.json");
  writeFileSync(file, JSON.stringify({ tools: [...undescribed(60, 17), BROKEN] }));
});

describe("check of more tools than a report lists", () => {
  it.each<[string, RegExp]>([
    [
      "pretty",
      /^error schema, broken [\s\S]*\nnote parameter-description, 60 of 61 tools: (?:(?!not listed)[\s\S])*\n.*: 61 checked, 1 error, 0 warnings, 1020 notes\n$/,
    ],
    ["json", /"level": ?"error"/],
    ["sarif", /"level": ?"error"/],
    ["junit", /tests="61" failures="1"/],
    [
      "markdown",
      /61 checked, 1 error, 0 warnings, 1020 notes\n\n#### Errors[\s\S]*and \d+ more, which do not fit here: 0 errors, 0 warnings, \d+ notes/,
    ],
  ])("%s finds the error behind the notes", async (format, expected) => {
    const { code, out } = await outcomeOf(["check", file, "-o", format, "--fail-on", "error"]);
    expect([code, out]).toEqual([1, expect.stringMatching(expected)]);
  });

  it("fails with each --fail-on", async () => {
    for (const level of ["error", "warning", "note"]) {
      expect((await outcomeOf(["check", file, "--fail-on", level])).code).toBe(1);
    }
  });
});

describe("a report of more findings than a format lists", () => {
  const finding = (at: number): ReportFinding => ({
    rule: "r",
    level: at % 100 === 99 ? "error" : "note",
    subject: `s${at}`,
    path: "",
    message: `m${at}`,
  });
  const findings = Array.from({ length: 25_100 }, (_, at) => finding(at));
  const report: Report = { name: "f", subjects: findings.map(({ subject }) => subject), findings };

  it("counts them all, lists errors first, and says what it leaves out", long, () => {
    const text = renderPretty(report, picocolors.createColors(false));
    expect(text).toContain("\nnot listed: 0 errors, 0 warnings, 24100 notes; -o json lists all\n");
    expect(text).toContain("f: 25100 checked, 251 errors, 0 warnings, 24849 notes\n");
    expect(text.startsWith("s99\n")).toBe(true);
    const byFinding = renderByFinding(report, picocolors.createColors(false));
    expect(byFinding).toContain("\nnot listed: 0 errors, 0 warnings, 24100 notes; -o json lists");
    expect(byFinding.startsWith("error r, s99: m99\n")).toBe(true);
    const [run] = JSON.parse(renderSarifReport(report, "1")).runs;
    expect(run.results).toHaveLength(25_000);
    expect(
      run.results.slice(0, 251).every(({ level }: { level: string }) => level === "error"),
    ).toBe(true);
    expect(run.invocations).toEqual([
      {
        executionSuccessful: true,
        toolExecutionNotifications: [
          { level: "note", message: { text: "not listed: 0 errors, 0 warnings, 100 notes" } },
        ],
      },
    ]);
    expect(renderJunitReport(report, "error")).toContain('tests="25100" failures="251"');
    expect(renderMarkdown(report)).toMatch(/25100 checked, 251 errors, .*\n\n#### Errors/);
  });
});
