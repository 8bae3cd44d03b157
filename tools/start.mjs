// `npm start`: runs the demo, with two published servers in addition to its own. Builds first if something has changed.
import "./help.mjs";

import { spawn, spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** The last file that a build writes. */
const BUILT = "packages/http/dist/console/manifest.json";
/** What is built, and the files that configure the build. */
const SOURCES = [
  "packages",
  "tools/build",
  "examples",
  "package.json",
  "tsconfig.base.json",
  "tsconfig.json",
];
/** What a build writes, or does not read. */
const LEFT_OUT = /^(node_modules|dist|build)$|\.test\.tsx?$|\.tsbuildinfo$|\.md$/;

function modified(file) {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/**
 * Returns whether anything under a path is newer than a time. A folder counts as newer if something was added or
 * removed, unless it contains outputs: those come and go without a change to the sources.
 */
function isNewer(file, time) {
  if (!statSync(file).isDirectory()) return modified(file) > time;
  const names = readdirSync(file);
  const sources = names.filter((name) => !LEFT_OUT.test(name));
  if (sources.length === names.length && modified(file) > time) return true;
  return sources.some((name) => isNewer(join(file, name), time));
}

/** Builds if anything has changed. @returns whether everything is built now */
function build() {
  const time = modified(path(BUILT));
  if (time > 0 && !SOURCES.some((source) => isNewer(path(source), time))) return true;
  console.error("Building (once, and after changes) …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const shell = process.platform === "win32";
  const { status } = spawnSync(npm, ["run", "build", "--silent"], {
    cwd: path(""),
    stdio: "inherit",
    shell,
  });
  return status === 0;
}

if (build()) {
  const demo = spawn(
    process.execPath,
    [
      path("packages/cli/bin/touchstone.js"),
      "demo",
      "--servers",
      "examples/touchstone.json",
      ...process.argv.slice(2),
    ],
    { cwd: path(""), stdio: "inherit" },
  );
  // The demo cleans up, and ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => demo.kill(signal));
  }
  demo.on("close", (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
} else process.exitCode = 1;
