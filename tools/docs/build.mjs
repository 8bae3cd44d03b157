// `npm run docs:build -- [--base /PATH/]`: builds the documentation site into tools/docs/site/dist, and checks the
// links of every page. `--base` is the path under which the site will be served.
import "../help.mjs";

import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brokenLinks } from "./site-links.mjs";
import { SITE, vitepress } from "./vitepress.mjs";

const { values } = parseArgs({ options: { base: { type: "string", default: "/" } } });
const status = vitepress("build", ["--base", values.base]);
if (status !== 0) process.exit(status);
const dist = join(SITE, "dist");
copyPlayground(fileURLToPath(new URL("../../packages/http/dist/playground", import.meta.url)));
const { pages, broken } = brokenLinks(dist, values.base);
for (const line of broken) console.error(line);
console.log(`${pages} pages in tools/docs/site/dist, ${broken.length} broken links`);
process.exitCode = pages === 0 || broken.length > 0 ? 1 : 0;

/** Adds the playground to the site. `npm run build` builds it. */
function copyPlayground(built) {
  if (!existsSync(built)) throw new Error("the playground is not built: npm run build");
  const to = join(dist, "playground");
  rmSync(to, { recursive: true, force: true });
  cpSync(built, to, { recursive: true, filter: (path) => !path.endsWith(".gz") });
}
