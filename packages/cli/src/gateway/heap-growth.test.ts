import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { growingPercent } from "./heap-growth.ts";

const MB = 1024 * 1024;

it.each([
  [4 * MB, 400],
  [16 * MB, 400],
  [32 * MB, 200],
  [128 * MB, 50],
  [129 * MB, 0],
  [4096 * MB, 0],
])("for a heap of %i bytes allows growth of %i percent", (used, percent) => {
  expect(growingPercent(used)).toBe(percent);
});

it("sets an option that this Node.js version has", () => {
  const script = 'require("node:v8").setFlagsFromString("--heap-growing-percent=400")';
  const { status, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
