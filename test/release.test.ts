import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { tempDir } from "../packages/cli/src/testing/touchstone.ts";
import { commandFault } from "./docs/command-line.ts";
import { ROOT } from "./docs/files.ts";
import { wordsOf } from "./docs/shell.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const json = (path: string) => JSON.parse(read(path));
const { version, bin } = json("packages/cli/package.json");

it("the manifests contain the packed command, its hash and a valid command line", () => {
  const folder = tempDir();
  const packed = "the bytes of a package";
  writeFileSync(join(folder, `touchstone-${version}.tgz`), packed);
  const script = join(ROOT, "tools/release/manifests.mjs");
  const args = ["--repository", "acme/checks", "--packed", folder, "--out", join(folder, "out")];
  execFileSync(process.execPath, [script, ...args]);
  const filled = new Map(
    readdirSync(join(folder, "out")).map((name) => [
      name,
      readFileSync(join(folder, "out", name), "utf8"),
    ]),
  );
  expect([...filled.keys()].sort()).toEqual(["server.json", "touchstone.json", "touchstone.rb"]);
  for (const text of filled.values()) expect(text).not.toContain("{{");
  const url = `https://registry.npmjs.org/touchstone/-/touchstone-${version}.tgz`;
  const sha256 = createHash("sha256").update(packed).digest("hex");

  const formula = filled.get("touchstone.rb") ?? "";
  expect(formula).toContain(`url "${url}"`);
  expect(formula).toContain(`sha256 "${sha256}"`);

  const scoop = JSON.parse(filled.get("touchstone.json") ?? "");
  expect(scoop).toMatchObject({ version, url, hash: `sha256:${sha256}`, depends: "nodejs-lts" });
  // Scoop would start a file of JavaScript with bash.
  const program = bin.touchstone.replaceAll("/", "\\");
  expect(scoop.bin).toEqual([["node.exe", "touchstone", `"$dir\\${program}"`]]);

  const entry = JSON.parse(filled.get("server.json") ?? "");
  expect(entry).toMatchObject({ name: "io.github.acme/touchstone", version });
  expect(entry.description.length).toBeLessThanOrEqual(100);
  const [npm] = entry.packages;
  expect(npm).toMatchObject({ identifier: "touchstone", version });
  const words = npm.packageArguments.map(
    ({ value, placeholder }: { value?: string; placeholder?: string }) => value ?? placeholder,
  );
  expect(commandFault(["touchstone", ...words])).toBeUndefined();
});

it("the Claude Code plugin has our version and valid commands", () => {
  const [plugin] = json(".claude-plugin/marketplace.json").plugins;
  const manifest = json(join(plugin.source, ".claude-plugin/plugin.json"));
  expect(manifest).toMatchObject({ name: plugin.name, version, description: plugin.description });
  const commands = join(plugin.source, "commands");
  const names = readdirSync(join(ROOT, commands));
  expect(names.sort()).toEqual(["doctor.md", "install.md"]);
  for (const name of names) {
    const [, front = "", text = ""] = read(join(commands, name)).split(/^---\n/m);
    expect(parse(front).description).toEqual(expect.any(String));
    const lines = [...text.matchAll(/`(touchstone [^`]+)`/g)].map(([, line = ""]) => line);
    expect(lines.length).toBeGreaterThan(1);
    const faults = lines.flatMap(wordsOf).map((command) => commandFault(command));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    // What runs without a question changes nothing.
    const allowed = [...String(parse(front)["allowed-tools"]).matchAll(/Bash\(([^):]+)/g)];
    for (const [, command = ""] of allowed)
      expect(command).toMatch(/ --dry-run\b|^touchstone version$/);
  }
});
