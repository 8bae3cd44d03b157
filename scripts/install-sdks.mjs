// Installs the agent SDKs of test/sdks and links them into node_modules. They declare Node 22, so in the
// workspace itself `npm ci` would print a warning for each on Node 20, where they work.
import "./help.mjs";

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "test/sdks");
const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

const installed = Object.entries(dependencies).every(([name, version]) => {
  const manifest = join(folder, "node_modules", name, "package.json");
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
});
if (!installed) {
  // The npm that runs this script, so that `npx npm@10 ci` uses one npm throughout.
  const npm = process.env.npm_execpath;
  const args = ["ci", "--silent", "--no-audit", "--no-fund"];
  const options = { cwd: folder, stdio: "inherit" };
  if (npm === undefined)
    execFileSync("npm", args, { ...options, shell: process.platform === "win32" });
  else execFileSync(process.execPath, [npm, ...args], options);
}
for (const name of Object.keys(dependencies)) {
  const link = join(root, "node_modules", name);
  rmSync(link, { recursive: true, force: true });
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(folder, "node_modules", name), link, "junction");
}
