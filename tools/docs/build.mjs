// `npm run docs:build -- [--base /PATH/]`: builds the documentation site into tools/docs/site/dist, and checks the
// links of every page. `--base` is the path under which the site will be served.
import "../help.mjs";

import { join } from "node:path";
import { parseArgs } from "node:util";
import { brokenLinks } from "./site-links.mjs";
import { SITE, vitepress } from "./vitepress.mjs";

const { values } = parseArgs({ options: { base: { type: "string", default: "/" } } });
const status = vitepress("build", ["--base", values.base]);
if (status !== 0) process.exit(status);
const { pages, broken } = brokenLinks(join(SITE, "dist"), values.base);
for (const line of broken) console.error(line);
console.log(`${pages} pages in tools/docs/site/dist, ${broken.length} broken links`);
process.exitCode = pages === 0 || broken.length > 0 ? 1 : 0;
