import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import type { ReportFinding } from "./finding.ts";
import { renderPretty } from "./pretty.ts";

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
