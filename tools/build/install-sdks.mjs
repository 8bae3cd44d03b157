// Installs the agent SDKs of test/sdks and links them into node_modules. They declare Node 22, but work on Node 20: in
// the workspace itself, `npm ci` would print a warning for each of them there.
import "../help.mjs";

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../install.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "test/sdks");
for (const name of install(folder)) {
  const link = join(root, "node_modules", name);
  rmSync(link, { recursive: true, force: true });
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(folder, "node_modules", name), link, "junction");
}
