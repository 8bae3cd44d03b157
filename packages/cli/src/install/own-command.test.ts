import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { outcomeOf, TOUCHSTONE, tempDir } from "../testing/touchstone.ts";

function makeProgram(path: string): void {
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
}

/**
 * Returns the command with which clients start a server after `install`, if a program `touchstone` is in a folder on
 * the `PATH`.
 */
async function commandWith(
  folder: string,
  make: (path: string) => void = makeProgram,
): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  make(join(folder, "touchstone"));
  const file = join(tempDir(), "mcp.json");
  writeFileSync(file, '{"mcpServers":{"a":{"command":"a"}}}');
  const env = { PATH: [folder, "/usr/bin"].join(delimiter), HOME: tempDir(), XDG_CONFIG_HOME: "" };
  expect((await outcomeOf(["install", "--file", file], { env })).code).toBe(0);
  const { command, args } = JSON.parse(readFileSync(file, "utf8")).mcpServers.a;
  expect((await outcomeOf(["uninstall", "--file", file], { env })).code).toBe(0);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ mcpServers: { a: { command: "a" } } });
  return [command, ...args];
}

it("writes the name touchstone if that is on the clients' PATH", async () => {
  expect((await commandWith(join(tempDir(), "bin"))).slice(0, 2)).toEqual(["touchstone", "wrap"]);
});

it("writes Node.js and the file if only npx and npm scripts have touchstone on their PATH", async () => {
  const started = await commandWith(join(tempDir(), "node_modules", ".bin"));
  expect(started.slice(0, 3)).toEqual([process.execPath, TOUCHSTONE, "wrap"]);
});

it("writes Node.js and the file if a directory on the PATH has the name", async () => {
  const started = await commandWith(join(tempDir(), "bin"), mkdirSync);
  expect(started.slice(0, 3)).toEqual([process.execPath, TOUCHSTONE, "wrap"]);
});
