// `npm run full:tests`: runs the tests that `npm test` and CI run on samples on all inputs instead, with new random
// cases unless TOUCHSTONE_FUZZ_SEED is set. Arguments are parts of file paths, if not all of these tests are needed.
// With `--times N`, it hunts for flaky tests: it runs the files as `npm test` does, N times, each time in another order.
// `--changed COMMIT` takes test files that changed since a commit, at most 20.
import "../help.mjs";

import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "../..");
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { times: { type: "string" }, changed: { type: "string" } },
});
const times = values.times === undefined ? undefined : Number(values.times);
if (times !== undefined && !(Number.isInteger(times) && times > 0)) {
  console.error(`--times takes a whole number of at least 1 (got ${JSON.stringify(values.times)})`);
  process.exit(2);
}

/** The files that changed since a commit and still exist. */
function changedSince(commit) {
  const args = ["diff", "--name-only", "--diff-filter=d", commit, "--"];
  return new Set(execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n"));
}

const MOST_CHANGED = 20;
const changed = values.changed === undefined ? undefined : changedSince(values.changed);
const found = ["packages", "examples", "test"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)),
  )
  .filter((path) => path.endsWith(".test.ts") && !/node_modules|dist/.test(path))
  .filter((path) => changed?.has(path) ?? true)
  .filter((path) => positionals.length === 0 || positionals.some((part) => path.includes(part)))
  .filter(
    (path) =>
      times !== undefined || readFileSync(join(root, path), "utf8").includes('/sample.ts";'),
  );
const files = changed === undefined ? found : found.slice(0, MOST_CHANGED);
if (found.length > files.length) console.log(`${found.length - files.length} more files changed`);
if (files.length === 0) {
  if (changed !== undefined) console.log(`no test file changed since ${values.changed}`);
  else console.error("no test with samples has such a path");
  process.exit(changed === undefined ? 2 : 0);
}

/** Runs the files. Returns the exit status. */
function run(options, env) {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", ...options, ...files];
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" });
  return status ?? 1;
}

const order = (seed) => ["--sequence.shuffle.files", `--sequence.seed=${seed}`];
if (times === undefined) {
  const env = { TOUCHSTONE_FUZZ_SEED: "random", ...process.env, TOUCHSTONE_SAMPLE: "all" };
  process.exitCode = run(["--testTimeout=0"], env);
} else {
  let failed = 0;
  const env = { ...process.env, TOUCHSTONE_SAMPLE: "some" };
  for (let seed = 1; seed <= times; seed += 1) {
    if (run(order(seed), env) === 0) continue;
    failed += 1;
    console.error(`failed in the order of ${order(seed).join(" ")}`);
  }
  console.log(`${files.length} files, ${times} runs, ${failed} of them failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
