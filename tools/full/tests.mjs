// `npm run full:tests`: runs the tests that `npm test` and CI run on samples on all inputs instead, with new random
// cases unless TOUCHSTONE_FUZZ_SEED is set. Arguments are parts of file paths, if not all of these tests are needed.
import "../help.mjs";

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "../..");
const { positionals } = parseArgs({ allowPositionals: true });

const files = ["packages", "test"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)),
  )
  .filter((path) => path.endsWith(".test.ts") && !/node_modules|dist/.test(path))
  .filter((path) => readFileSync(join(root, path), "utf8").includes('/sample.ts";'))
  .filter((path) => positionals.length === 0 || positionals.some((part) => path.includes(part)));
if (files.length === 0) {
  console.error("no test with samples has such a path");
  process.exit(2);
}

const vitest = join(root, "node_modules/vitest/vitest.mjs");
const child = spawn(process.execPath, [vitest, "run", "--testTimeout=0", ...files], {
  cwd: root,
  env: { TOUCHSTONE_FUZZ_SEED: "random", ...process.env, TOUCHSTONE_SAMPLE: "all" },
  stdio: "inherit",
});
child.on("close", (code) => {
  process.exitCode = code ?? 1;
});
