// Installs a published package, at one version, into a separate folder.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Installs a package of npm or PyPI unless its folder has this version. Scripts of npm packages do not run.
 * @param extra an extra of a package of PyPI, such as `proxy`; `with` names further packages of PyPI
 * @param python returns the interpreter for packages of PyPI
 * @param ms maximum time for each step, in milliseconds
 * @throws Error with `stderr` and `killed`, see {@link reasonOf}
 */
export async function installPublished(
  folder,
  { registry, name, version, extra, with: more = [] },
  { python = () => "python3", ms, ...rest },
) {
  const done = join(folder, "installed");
  if (existsSync(done) && readFileSync(done, "utf8") === version) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const options = { timeout: ms, maxBuffer: 2 ** 26, cwd: folder, ...rest };
  if (registry === "npm") {
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    await run("npm", ["install", "--prefix", folder, ...quiet, `${name}@${version}`], options);
  } else {
    await run(await python(), ["-m", "venv", join(folder, "venv")], options);
    const pip = join(folder, "venv", "bin", "pip");
    const quiet = ["--quiet", "--no-compile", "--disable-pip-version-check"];
    const wanted = `${name}${extra === undefined ? "" : `[${extra}]`}==${version}`;
    await run(pip, ["install", ...quiet, wanted, ...more], options);
  }
  writeFileSync(done, version);
}

/** Returns why an installation failed, as one line. */
export function reasonOf({ stderr, killed, message }, ms) {
  if (killed) return `took over ${ms / 1000} s`;
  const lines = String(stderr || message)
    .trim()
    .split("\n")
    // npm ends its output with the path of a log, which exists only on this machine.
    .filter((line) => !line.includes("A complete log of this run"));
  return (lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? "").slice(0, 200);
}
