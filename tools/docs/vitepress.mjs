import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../install.mjs";

/** VitePress and its configuration have their own lockfile: the project's `npm ci` does not install them. */
export const SITE = fileURLToPath(new URL("./site", import.meta.url));

/** Runs a VitePress command on the site. Returns its exit status. */
export function vitepress(command, args) {
  install(SITE);
  const bin = join(SITE, "node_modules/vitepress/bin/vitepress.js");
  const { status } = spawnSync(process.execPath, [bin, command, SITE, ...args], {
    stdio: "inherit",
  });
  return status ?? 1;
}
