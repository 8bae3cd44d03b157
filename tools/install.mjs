import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs `npm ci` in a folder with its own lockfile, unless its dependencies are installed. Returns their names. */
export function install(folder) {
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const isInstalled = Object.entries(dependencies).every(([name, version]) => {
    const manifest = join(folder, "node_modules", name, "package.json");
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
  });
  if (!isInstalled) {
    // Uses the npm that runs the script, so that `npx npm@10 ci` uses one npm throughout.
    const npm = process.env.npm_execpath;
    const args = ["ci", "--silent", "--no-audit", "--no-fund"];
    const options = { cwd: folder, stdio: "inherit" };
    if (npm === undefined)
      execFileSync("npm", args, { ...options, shell: process.platform === "win32" });
    else execFileSync(process.execPath, [npm, ...args], options);
  }
  return Object.keys(dependencies);
}
