import { expect, it } from "vitest";
import type { Level, ReportFinding } from "./finding.ts";
import { renderJunitReport } from "./junit.ts";

const finding = (subject: string, level: Level): ReportFinding => ({
  ...{ rule: "r", subject, level, path: "/a", message: "m" },
});

it("has a case per subject, which fails for findings above a note", () => {
  const report = {
    name: "file.json",
    subjects: ["fine", "noted", "bad"],
    findings: [finding("noted", "note"), finding("bad", "note"), finding("bad", "warning")],
  };
  const text = renderJunitReport(report, "warning");
  expect(text.match(/tests="3" failures="1"/g)).toHaveLength(2);
  expect(text.split("\n").filter((line) => /<(testcase|failure|system-out)/.test(line))).toEqual([
    '    <testcase classname="file.json" name="fine"/>',
    '    <testcase classname="file.json" name="noted">',
    "      <system-out>note r /a: m</system-out>",
    '    <testcase classname="file.json" name="bad">',
    '      <failure message="1 finding">note r /a: m',
  ]);
});
