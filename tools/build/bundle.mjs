// Bundles the code of each package into a few files: every file that is loaded costs time at start, and there are
// hundreds of sources. `tsc -b` has already written the types beside them. Code of other packages stays in those
// packages. Arguments are folders of packages: without any, all packages are bundled.
import "../help.mjs";

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, resolve } from "node:path";
import { bundle, libraryOf, PACKAGES, programsOf, ROOT, startsOf } from "./rolldown.mjs";

/** Data of a package that is not needed otherwise. */
const METASCHEMA = /^ajv\/dist\/refs\/.*\.json$/;

/** Libraries with many files, which take several times as long to load as one file. */
const MANY_FILES = /^(kysely|typebox|@noble\/hashes|jose)(\/|$)/;

/** CommonJS libraries, which Node reads twice to find the names that they export. */
const COMMON_JS =
  /^(fast-uri|commander|cross-spawn|path-key|shebang-command|shebang-regex|which|isexe)(\/|$)/;

/**
 * Returns the sources that are loaded by name from outside, and the programs: paths inside `src`, without their
 * extension.
 */
function entriesOf(folder) {
  const { exports = {} } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const exported = Object.values(exports).flatMap((entry) => entry["@touchstone/source"] ?? []);
  return [
    ...exported.map((path) => path.replace("./src/", "").replace(/\.ts$/, "")),
    ...programsOf(folder),
  ];
}

async function bundlePackage(folder) {
  const name = basename(folder);
  rmSync(`${folder}/dist/chunks`, { recursive: true, force: true });
  const taken = await bundle({
    dir: `${folder}/dist`,
    input: Object.fromEntries(entriesOf(folder).map((path) => [path, `${folder}/src/${path}.ts`])),
    // Only these may use Node's modules: the others also run on edge runtimes.
    platform: ["cli", "gateway", "records", "util"].includes(name) ? "node" : "neutral",
    resolve: { mainFields: ["module", "main"] },
    external: (id) =>
      !id.startsWith(".") &&
      !isAbsolute(id) &&
      ![METASCHEMA, MANY_FILES, COMMON_JS].some((inside) => inside.test(id)),
    starts: startsOf(name),
    grouped: /[\\/]src[\\/]/,
  });
  for (const library of taken) {
    const { text } = libraryOf(library);
    const file = `${library.replace("@", "").replace("/", "-")}-LICENSE.txt`;
    writeFileSync(`${folder}/dist/chunks/${file}`, text);
  }
}

// The console is a web page, which Vite builds.
const all = () => readdirSync(PACKAGES).filter((name) => name !== "console");
const named = process.argv.slice(2).map((folder) => resolve(folder));

/** Copies the servers of `touchstone demo`, which are plain JavaScript and go into the package unchanged. */
function copyDemoServers() {
  for (const server of ["faulty-server", "notes-server"]) {
    const from = `${ROOT}examples/${server}/`;
    const to = `${PACKAGES}cli/dist/demo-servers/${server}/`;
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    for (const file of readdirSync(from).filter((name) => name.endsWith(".mjs"))) {
      copyFileSync(from + file, to + file);
    }
  }
}

copyDemoServers();
const folders = named.length > 0 ? named : all().map((name) => PACKAGES + name);
await Promise.all(folders.map(bundlePackage));
