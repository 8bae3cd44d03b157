// `npm run docs:reference -- [folder]`: generates reference pages from the code, by default into docs/reference, and
// llms.txt, the list of all pages. Without a folder, also the schema of the Helm chart's values. Commit them: a test compares them with the code. Exits with 1 if something in the
// code has no description.
import "../help.mjs";

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chartSchema } from "./chart.mjs";
import { errorCatalogues } from "./errors.mjs";
import { PAGES } from "./generated.mjs";

const [given] = process.argv.slice(2);
const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = given === undefined ? join(root, "docs/reference") : resolve(given);

mkdirSync(folder, { recursive: true });
for (const [name, make] of Object.entries(PAGES)) {
  const isOfRoot = given === undefined && name === "llms.txt";
  writeFileSync(join(isOfRoot ? root : folder, name), await make());
}
if (given === undefined) {
  const chart = join(root, "deploy/helm/touchstone/values.schema.json");
  const written = chartSchema(JSON.parse(readFileSync(chart, "utf8")));
  writeFileSync(chart, `${JSON.stringify(written, null, 2)}\n`);
}
console.log(`${Object.keys(PAGES).length} pages in ${folder}`);

const undescribed = errorCatalogues().flatMap(({ name, codes }) =>
  codes.filter(([, meaning]) => !meaning).map(([code]) => `${name} ${code}`),
);
for (const what of undescribed) console.error(`${what} has no description`);
process.exitCode = undescribed.length === 0 ? 0 : 1;
