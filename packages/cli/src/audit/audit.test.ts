import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir, touchstone } from "../testing/touchstone.ts";

async function outcome(args: string[]) {
  const { ended, stdout, stderr } = touchstone(["audit", ...args]);
  return { code: await ended, out: stdout(), err: stderr() };
}

describe("touchstone audit", () => {
  it("tells what a specification lacks", async () => {
    const file = join(tempDir(), "spec.md");
    writeFileSync(file, '## Description\n\n```json\n{ "a": }\n```\n');
    const { code, out } = await outcome([file]);
    expect([code, out]).toEqual([1, expect.stringContaining("Missing recommended section")]);
    const json = await outcome(["-f", "json", file]);
    expect(JSON.parse(json.out).findings.length).toBeGreaterThan(1);
  });

  it("cannot read what is not there", async () => {
    const { code, err } = await outcome([join(tempDir(), "none.md")]);
    expect([code, err]).toEqual([3, expect.stringContaining("none.md")]);
  });
});
