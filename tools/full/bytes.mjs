// `npm run full:bytes`: tests every kind of result in every mode, revision and transport, byte for byte.
import "../help.mjs";

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--project", "gateway", "packages/gateway/src/byte-matrix.test.ts"],
  { cwd: root, stdio: "inherit", env: { ...process.env, TOUCHSTONE_SAMPLE: "all" } },
);
process.exitCode = status ?? 1;
