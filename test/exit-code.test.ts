import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const VITEST = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const ROOT = fileURLToPath(new URL("..", import.meta.url));

it("a failed test run does not exit with 0", { timeout: 120_000 }, () => {
  const run = spawnSync(process.execPath, [VITEST, "run", "no/such.test.ts"], { cwd: ROOT });
  expect(run.status).toBe(1);
});
