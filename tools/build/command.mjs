// Writes the command as it is published: one bundle of our packages and the libraries that they use, with their
// licenses, so that an install brings few packages. Only SQLite's binding stays a dependency, because it has code for
// each platform; OpenTelemetry and prom-client are installed by those who use them. The argument is the output folder.
import "../help.mjs";

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { bundle, libraryOf, PACKAGES, programsOf, startsOf } from "./rolldown.mjs";

/** The packages that have programs. */
const WITH_PROGRAMS = ["cli", "core", "gateway", "records"];

/** What stays out of the bundle: libraries with native code, optional libraries, and those of other platforms. */
const OUTSIDE = /^(node:|libsql$|@opentelemetry\/|prom-client$|pg-native$|pg-cloudflare$)/;

/** In the bundle, all packages are one. */
const oneManifest = {
  name: "one-manifest",
  transform: (code, id) =>
    id.startsWith(PACKAGES)
      ? code.replaceAll(/"@touchstone\/[a-z]+\/package\.json"/g, '"touchstone/package.json"')
      : undefined,
};

const manifestOf = (name) => JSON.parse(readFileSync(`${PACKAGES}${name}/package.json`, "utf8"));

/** Returns the manifest of the command, without the dependencies that are in the bundle. */
function manifest() {
  const { dependencies: _, devDependencies: __, files: ___, ...rest } = manifestOf("cli");
  const { peerDependencies, peerDependenciesMeta } = manifestOf("gateway");
  const { libsql } = manifestOf("records").dependencies;
  return { ...rest, dependencies: { libsql }, peerDependencies, peerDependenciesMeta };
}

/** The web pages that the gateway serves. */
const PAGES = ["console", "playground"];

function licenses(libraries) {
  const sections = libraries.map(libraryOf).map(({ name, version, license, text }) => {
    return `## ${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  const pages = PAGES.map((page) => {
    const text = readFileSync(`${PACKAGES}http/dist/${page}/licenses.md`, "utf8");
    return `\n# Libraries in the ${page}\n\n${text}`;
  });
  return `# Licenses of the libraries in this package\n\n${sections.join("\n")}${pages.join("")}`;
}

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error("name the folder to write to");
const to = resolve(target);
rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });

const input = {};
for (const name of WITH_PROGRAMS) {
  for (const path of programsOf(PACKAGES + name)) {
    if (path in input) throw new Error(`two packages have a program ${path}`);
    input[path] = `${PACKAGES}${name}/src/${path}.ts`;
  }
}
const libraries = await bundle({
  dir: `${to}/dist`,
  input,
  platform: "node",
  resolve: {
    conditionNames: ["@touchstone/source", "node", "default"],
    mainFields: ["module", "main"],
  },
  external: OUTSIDE,
  plugins: [oneManifest],
  starts: startsOf(...WITH_PROGRAMS),
});
for (const path of ["bin", "README.md", "LICENSE", "dist/demo-servers"]) {
  cpSync(`${PACKAGES}cli/${path}`, `${to}/${path}`, { recursive: true });
}
for (const page of PAGES) {
  cpSync(`${PACKAGES}http/dist/${page}`, `${to}/dist/${page}`, { recursive: true });
}
writeFileSync(`${to}/package.json`, `${JSON.stringify(manifest(), undefined, 2)}\n`);
writeFileSync(`${to}/THIRD-PARTY-LICENSES.md`, licenses(libraries));
console.log(`${to}: ${libraries.length} libraries built in`);
