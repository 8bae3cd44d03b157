// `npm run release:dry-run`: does everything that a release does before it publishes (.github/workflows/release.yml),
// into release/: versions, packages, manifests of Homebrew, Scoop and the MCP registry, and the SBOM of the command.
// With `-- --wheel` it also builds the wheel of this platform and tries it in a new virtual environment; that needs
// Python with its package venv, and PyPI. Publishes nothing.
import "../help.mjs";

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../build/rolldown.mjs";

const REPOSITORY = ["--repository", "example/touchstone"];
const BUILD = ["build==1.5.0", "hatchling==1.33.0"];

const run = (program, args, options = {}) =>
  execFileSync(program, args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
const script = (name, ...args) => {
  console.log(
    `${name}: ${run(process.execPath, [join(ROOT, "tools/release", `${name}.mjs`), ...args]).trim()}`,
  );
};

script("version");
script("pack", ...REPOSITORY);
script("manifests", ...REPOSITORY);
script("sbom");

if (!process.argv.includes("--wheel")) {
  console.log("wheel: left out; -- --wheel makes it");
  process.exit();
}

const scratch = mkdtempSync(join(tmpdir(), "touchstone-release-"));
try {
  const env = join(scratch, "env");
  const made = spawnSync("python3", ["-m", "venv", env], { encoding: "utf8" });
  const isHere = process.platform === "linux" && process.arch === "x64";
  if (made.status !== 0 || !isHere) {
    console.log("wheel: left out, since python3 -m venv does not run here");
  } else {
    const python = join(env, "bin/python");
    run(python, ["-m", "pip", "install", "--quiet", ...BUILD]);
    const out = join(ROOT, "release/pypi");
    script("wheel", "--platform", "linux-x64-gnu", "--python", python, "--out", out);
    const wheel = readdirSync(out).find((name) => name.endsWith(".whl"));
    run(python, ["-m", "pip", "install", "--quiet", join(out, wheel)]);
    const shown = run(join(env, "bin/touchstone"), ["demo", "--once"], {
      cwd: scratch,
      env: { PATH: "/nowhere", HOME: scratch },
    });
    if (!shown.includes("1 blocked"))
      throw new Error(`the demo of the wheel blocks nothing:\n${shown}`);
    if (existsSync(join(env, "bin/node")))
      throw new Error("the wheel adds a node to the environment");
    console.log("wheel: its demo blocks one call, without a node on the path");
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
