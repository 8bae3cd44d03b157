import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../install.mjs";

/** VitePress and its configuration, with a lockfile of their own: `npm ci` of the project does not install them. */
export const SITE = fileURLToPath(new URL("./site", import.meta.url));

/** Runs a command of VitePress on the site. Returns its exit status. */
export function vitepress(command, args) {
  install(SITE);
  const bin = join(SITE, "node_modules/vitepress/bin/vitepress.js");
  const { status } = spawnSync(process.execPath, [bin, command, SITE, ...args], {
    stdio: "inherit",
  });
  return status ?? 1;
}
