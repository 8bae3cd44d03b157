import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditSpecFile } from "./spec-file.ts";

describe("auditSpecFile", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "touchstone-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("audits the text of a file", async () => {
    const path = join(folder, "spec.md");
    await writeFile(path, "## Description\n");
    const result = await auditSpecFile(path);
    expect(result.valid).toBe(true);
    expect(result.warningMessages).toContain("Missing recommended section: input schema");
    expect(result.warningMessages).not.toContain("Missing recommended section: description");
  });

  it.each([
    ["a file that is not there", "none.md"],
    ["a folder", "."],
  ])("reports %s", async (_, name) => {
    const logged: string[] = [];
    const logger = { error: (message: string) => logged.push(message) };
    const result = await auditSpecFile(join(folder, name), { logger });
    expect(result.valid).toBe(false);
    expect(result.errorMessages[0]).toMatch(/^the specification cannot be read: /);
    expect(logged).toEqual(result.errorMessages);
  });
});
