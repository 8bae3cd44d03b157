import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import type { Report, ReportFinding } from "./finding.ts";
import { renderByFinding, renderPretty } from "./pretty.ts";

function finding(subject: string, path: string, more: Partial<ReportFinding> = {}): ReportFinding {
  return {
    rule: "no-text",
    level: "note",
    subject,
    path,
    message: "no text",
    fix: "Add one.",
    ...more,
  };
}

function rendered(findings: readonly ReportFinding[]): string {
  const report = { name: "server", subjects: ["a", "b"], findings };
  return renderPretty(report, picocolors.createColors(false));
}

describe("a report for people", () => {
  it("groups the same finding at several places of a subject", () => {
    const findings = [
      finding("a", "/x"),
      finding("a", "/w", { rule: "other", level: "error", message: "bad" }),
      finding("b", "/y"),
      finding("a", "/z", { line: 4, column: 2 }),
    ];
    expect(rendered(findings)).toBe(
      [
        "a",
        "  error other /w: bad",
        "      Add one.",
        "  note no-text: no text",
        "      /x",
        "      /z (4:2)",
        "      Add one.",
        "b",
        "  note no-text /y: no text",
        "      Add one.",
        "server: 2 checked, 1 error, 0 warnings, 3 notes",
        "",
      ].join("\n"),
    );
  });

  it("prints a repeated finding without a place once", () => {
    const text = rendered([
      finding("a", ""),
      finding("a", ""),
      finding("b", ""),
      finding("b", "/x"),
    ]);
    expect(text.split("\n").slice(0, 6)).toEqual([
      ...["a", "  note no-text: no text", "      Add one."],
      ...["b", "  note no-text /x: no text", "      Add one."],
    ]);
  });

  it.each(["message", "fix", "level"] as const)(
    "does not group findings whose %s differs",
    (field) => {
      const other = { message: "no other", fix: "Add two.", level: "error" } as const;
      const text = rendered([finding("a", "/x"), finding("a", "/y", { [field]: other[field] })]);
      expect(text).toMatch(/ \/[xy]: .*\n.*\n.* \/[xy]: /);
    },
  );

  it("prints only the summary if there are no findings", () => {
    expect(rendered([])).toBe("server: 2 checked, 0 errors, 0 warnings, 0 notes\n");
  });
});

describe("a report by finding", () => {
  const byFinding = (report: Omit<Report, "name">): readonly string[] =>
    renderByFinding({ name: "server", ...report }, picocolors.createColors(false)).split("\n");

  it.each<[string, string, Omit<Report, "name">]>([
    [
      "tools only, however many responses have findings",
      "note no-text, 2 of 3 tools: no text",
      {
        subjects: ["initialize", "tools/list", "a", "b", "c"],
        responses: ["initialize", "tools/list"],
        findings: [
          finding("initialize", "", { rule: "other" }),
          finding("a", ""),
          finding("b", ""),
        ],
      },
    ],
    [
      "responses by themselves",
      "note no-text, 2 responses: no text",
      {
        subjects: ["initialize", "tools/list", "a"],
        responses: ["initialize", "tools/list"],
        findings: [finding("initialize", ""), finding("tools/list", "")],
      },
    ],
    [
      "responses beside tools",
      "note no-text, 1 response and 1 of 2 tools: no text",
      {
        subjects: ["tools/list", "a", "b"],
        responses: ["tools/list"],
        findings: [finding("tools/list", ""), finding("a", "")],
      },
    ],
  ])("counts %s", (_, line, report) => {
    expect(byFinding(report)).toContain(line);
  });

  it("counts all tools of a finding that has more places than a report lists", () => {
    const subjects = Array.from({ length: 1500 }, (_, at) => `t${at}`);
    const lines = byFinding({
      subjects,
      findings: subjects.flatMap((name) => [finding(name, "/a"), finding(name, "/b")]),
    });
    expect(lines[0]).toBe("note no-text, 1500 of 1500 tools: no text");
    expect(lines.slice(2)).toEqual([
      "      Add one.",
      "server: 1500 checked, 0 errors, 0 warnings, 3000 notes",
      "",
    ]);
  });

  it("lists at most 12 places of a tool", () => {
    const findings = Array.from({ length: 40 }, (_, at) => finding("a", `/p${at}`));
    const lines = byFinding({ subjects: ["a", "b"], findings });
    expect([lines[0], lines[1], lines[13], lines.length]).toEqual([
      ...["note no-text, a: no text", "      /p0", "      and 28 more"],
      17,
    ]);
  });
});
