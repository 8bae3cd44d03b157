// `npm run full:advice`: follows the texts for models literally, for 5,000 wrong calls of each kind, and prints how many are
// valid after one round and after two. `npm test` takes a sample.
import "../help.mjs";

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--testTimeout=0", "test/advice/advice.property.test.ts"],
  { cwd: root, stdio: "inherit", env: { ...process.env, TOUCHSTONE_SAMPLE: "all" } },
);
process.exitCode = status ?? 1;
