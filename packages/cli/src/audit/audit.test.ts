import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outcomeOf, tempDir } from "../testing/touchstone.ts";

const outcome = (args: readonly string[]) => outcomeOf(["audit", ...args]);

describe("touchstone audit", () => {
  it("reports what a specification lacks", async () => {
    const file = join(tempDir(), "spec.md");
    writeFileSync(file, '## Description\n\n```json\n{ "a": }\n```\n');
    const { code, out } = await outcome([file]);
    expect([code, out]).toEqual([1, expect.stringContaining("Missing recommended section")]);
    const json = await outcome(["-f", "json", file]);
    const { findings } = JSON.parse(json.out);
    expect(findings.length).toBeGreaterThan(1);
    expect(findings.at(-1)).toMatchObject({ line: 4, column: 8 });
    const sarif = JSON.parse((await outcome(["-f", "sarif", file])).out);
    const [at] = sarif.runs[0].results.at(-1).locations;
    expect(at.physicalLocation.region).toEqual({ startLine: 4, startColumn: 8 });
    expect(out).toContain("(4:8)");
  });

  it("exits with 0 if nothing is lacking", async () => {
    const file = join(tempDir(), "spec.md");
    const sections = ["Description", "Invocation name", "Security considerations"];
    const schemas = ["Input schema", "Output schema"].map(
      (name) => `## ${name}\n\n\`\`\`json\n{"type":"object"}\n\`\`\`\n`,
    );
    writeFileSync(file, [...sections.map((name) => `## ${name}\n`), ...schemas].join("\n"));
    const { code, out } = await outcome([file]);
    expect([code, out]).toEqual([0, `${file}: 1 checked, 0 errors, 0 warnings, 0 notes\n`]);
  });

  it("audits the other files if some do not exist", async () => {
    const file = join(tempDir(), "spec.md");
    writeFileSync(file, "## Description\n");
    const { code, out, err } = await outcome([file, "none.md", "nor.md"]);
    expect(code).toBe(3);
    expect(out).toMatch(/Missing recommended section[\s\S]*\n3 files: 1 checked, 0 errors, /);
    expect(err.split("\n")).toEqual([
      "touchstone: none.md cannot be read: there is no such file; check the path",
      "touchstone: nor.md cannot be read: there is no such file; check the path",
      "touchstone: 2 files could not be read",
      "",
    ]);
  });

  it("lists an unreadable file in JUnit and SARIF reports", async () => {
    const file = join(tempDir(), "empty.md");
    writeFileSync(file, "");
    const { code, out } = await outcome(["-f", "junit", file, "none.md"]);
    expect(code).toBe(3);
    expect(out).toMatch(/name="none\.md">\s*<failure [^>]*>error file: none\.md cannot be read/);
    const sarif = await outcome(["-f", "sarif", file, "none.md"]);
    const [run] = JSON.parse(sarif.out).runs;
    expect(run.results).toContainEqual(expect.objectContaining({ ruleId: "file", level: "error" }));
    expect(run.invocations).toEqual([{ executionSuccessful: false }]);
    const whole = await outcome(["-f", "sarif", file]);
    expect(whole.code).toBe(1);
    expect(JSON.parse(whole.out).runs[0]).not.toHaveProperty("invocations");
  });

  it.each(["json", "junit", "sarif"])(
    "writes a %s report even if the only file does not exist",
    async (form) => {
      const { code, out, err } = await outcome(["-f", form, "none.md"]);
      expect([code, out]).toEqual([3, expect.stringContaining("none.md cannot be read")]);
      expect(err.split("\n")).toEqual([
        "touchstone: none.md cannot be read: there is no such file; check the path",
        "touchstone: 1 file could not be read",
        "",
      ]);
    },
  );

  it("refuses standard input given twice", async () => {
    const { code, out, err } = await outcome(["-", "-"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain('"-", the standard input, can be given only once');
  });

  it('writes "1 checked" for one file', async () => {
    const file = join(tempDir(), "empty.md");
    writeFileSync(file, "");
    const { out } = await outcome([file]);
    expect(out).toMatch(/1 checked, 0 errors, \d+ warnings?, 0 notes/);
  });
});
