import { expect, it } from "vitest";
import { tempDir, touchstone } from "../testing/touchstone.ts";

it("prints versions, platform and data directory", async () => {
  const dataDir = tempDir();
  const people = touchstone(["version"], { dataDir });
  const program = touchstone(["version", "-o", "json"], { dataDir });
  const short = touchstone(["--version"]);
  await Promise.all([people.ended, program.ended, short.ended]);
  expect(JSON.parse(program.stdout())).toEqual({
    version: short.stdout().trim(),
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    dataDir,
  });
  const lines = people.stdout().trimEnd().split("\n");
  expect(lines.map((line) => line.split(/ +/, 1)[0])).toEqual([
    "touchstone",
    "node",
    "platform",
    "data",
  ]);
  expect(people.stdout()).toContain(dataDir);
});
