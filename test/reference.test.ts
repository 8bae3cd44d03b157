import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";

const script = fileURLToPath(new URL("../scripts/make-reference.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "touchstone-reference-"));
const page = (name: string): string => readFileSync(join(folder, name), "utf8");

beforeAll(() => {
  // It ends with 1 where something has no description.
  execFileSync(process.execPath, [script, folder], { stdio: ["ignore", "ignore", "pipe"] });
}, 60_000);

it.each([
  ["cli.md", "## touchstone activity rollout"],
  ["cli.md", "--missing-structured-content"],
  ["configuration.md", '| `input_validation.mode` | "off", "warn", "strict" | `"warn"` |'],
  ["configuration.md", "| `mcpServers.NAME.command` |"],
  ["errors.md", "| `DATABASE_BUSY` |"],
  ["errors.md", "| `too_deep` |"],
  ["gateway-api.md", "## PATCH /api/v1/servers/{server}/modes"],
  ["http-api.md", "## POST /tools/{name}/validate"],
])("%s tells of %s", (name, part) => {
  expect(page(name)).toContain(part);
});

it("says nothing of what is not defined", () => {
  for (const name of ["cli.md", "configuration.md", "errors.md", "gateway-api.md", "http-api.md"]) {
    expect(page(name)).not.toMatch(/undefined|\[object/);
  }
});
