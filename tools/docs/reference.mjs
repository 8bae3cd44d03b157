// `npm run docs:reference -- [folder]`: generates reference pages from the code, into docs/reference by default,
// and llms.txt, the list of all pages.
// Commit them: a test compares them with the code. Exits 1 if something in the code has no description.
import "../help.mjs";

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cliReference } from "./cli.mjs";
import { configurationReference } from "./configuration.mjs";
import { errorCatalogues, errorReference } from "./errors.mjs";
import { llmsText } from "./llms.mjs";
import { gatewayRestReference, restReference } from "./rest.mjs";

const [given] = process.argv.slice(2);
const standard = fileURLToPath(new URL("../../docs/reference", import.meta.url));
const folder = given === undefined ? standard : resolve(given);

const pages = {
  "commands.md": cliReference(),
  "configuration-keys.md": configurationReference(),
  "errors.md": errorReference(),
  "gateway-routes.md": gatewayRestReference(),
  "tools-api-routes.md": await restReference(),
};

mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text);
const root = fileURLToPath(new URL("../../", import.meta.url));
writeFileSync(join(given === undefined ? root : folder, "llms.txt"), llmsText());
console.log(`${Object.keys(pages).length} pages in ${folder}`);

const undescribed = errorCatalogues().flatMap(({ name, codes }) =>
  codes.filter(([, meaning]) => !meaning).map(([code]) => `${name} ${code}`),
);
for (const what of undescribed) console.error(`${what} has no description`);
process.exitCode = undescribed.length === 0 ? 0 : 1;
