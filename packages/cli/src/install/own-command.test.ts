import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { TOUCHSTONE, tempDir, touchstone } from "../testing/touchstone.ts";

/** What `install` has a client start, where a program `touchstone` lies in a folder on the `PATH`. */
async function commandWith(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "touchstone"), "#!/bin/sh\n");
  chmodSync(join(folder, "touchstone"), 0o755);
  const file = join(tempDir(), "mcp.json");
  writeFileSync(file, '{"mcpServers":{"a":{"command":"a"}}}');
  const env = { PATH: [folder, "/usr/bin"].join(delimiter) };
  expect(await touchstone(["install", "--file", file], { env }).ended).toBe(0);
  return JSON.parse(readFileSync(file, "utf8")).mcpServers.a.command;
}

it("clients start touchstone by its name where it is on their PATH", async () => {
  expect(await commandWith(join(tempDir(), "bin"))).toBe("touchstone");
});

it("but not where only npx and npm scripts have it there", async () => {
  expect(await commandWith(join(tempDir(), "node_modules", ".bin"))).toBe(TOUCHSTONE);
});
