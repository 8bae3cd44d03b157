// Puts what each package runs into a few files: a start pays for every file that it loads, and there are
// hundreds of sources. `tsc -b` has put the types beside them. What other packages hold stays with them.
// Folders of packages may be named: without any, all of them are bundled.
import "../help.mjs";

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

/** Sources that are programs though no other package names them: those of threads, and the command's. */
const PROGRAM = /(^|[/-])entry\.ts$|^main\.ts$/;

/** Data of a package that nothing else is needed of. */
const METASCHEMA = /^ajv\/dist\/refs\/.*\.json$/;

/** Libraries in many files, which take several times as long to load as one. */
const MANY_FILES = /^(kysely|typebox|@noble\/hashes)(\/|$)/;

/** Libraries in CommonJS, which Node reads twice to find the names that they export. */
const COMMON_JS =
  /^(fast-uri|commander|cross-spawn|path-key|shebang-command|shebang-regex|which|isexe)(\/|$)/;

/** Of TypeBox's formats, `core` takes the two of host names, which `format/` only passes on. */
const HOST_NAMES = fileURLToPath(
  new URL("../../node_modules/typebox/build/format/idna/index.mjs", import.meta.url),
);
const hostNames = {
  name: "host-names",
  resolveId: (id) => (id === "typebox/format" ? HOST_NAMES : undefined),
};

/**
 * By package, the programs that start often, each as the sources that it begins with. What the same of them load goes
 * into one file: a start pays for every file, and there would be one for each set of entries.
 */
const STARTS = {
  cli: { command: ["main"], wrap: ["run-wrap"] },
  gateway: {
    command: ["util/errors", "util/log", "records/errors", "records/filter", "records/record"],
    fold: ["records/journal/entry"],
    read: ["records/worker/entry"],
    child: ["wrap"],
    relay: ["server/wrap-relay", "records/sqlite/open"],
  },
};

/** Returns, for a package, the name of the file that a source goes into; null leaves it to rolldown. */
function fileOf(folder) {
  const starts = Object.entries(STARTS[basename(folder)] ?? {});
  const pathOf = (source) => join(folder, "src", `${source}.ts`);
  const roots = new Set(starts.flatMap(([, sources]) => sources.map(pathOf)));
  const reached = new Map();
  const reach = (name, id, context) => {
    const names = reached.get(id) ?? new Set();
    if (names.has(name)) return;
    reached.set(id, names.add(name));
    for (const next of context.getModuleInfo(id)?.importedIds ?? []) reach(name, next, context);
  };
  return (id, context) => {
    if (reached.size === 0) {
      for (const [name, sources] of starts) {
        for (const source of sources) reach(name, pathOf(source), context);
      }
    }
    const names = [...(reached.get(id) ?? [])];
    // What is loaded by its name, or when it is needed, stays a file of its own.
    const isAlone = roots.has(id) || context.getModuleInfo(id)?.dynamicImporters.length > 0;
    return names.length === 0 || isAlone ? null : names.join("-");
  };
}

const HELPERS = "\0rolldown/runtime.js";

/** What others load by its name, and the programs: paths inside `src`, without their ending. */
function entriesOf(folder) {
  const { exports = {} } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const exported = Object.values(exports).flatMap((entry) => entry["@touchstone/source"] ?? []);
  const programs = readdirSync(`${folder}/src`, { recursive: true }).filter((path) =>
    PROGRAM.test(path),
  );
  return [...exported.map((path) => path.replace("./src/", "")), ...programs].map((path) =>
    path.replaceAll("\\", "/").replace(/\.ts$/, ""),
  );
}

/**
 * Leaves out rolldown's helpers if nothing needs them: each chunk of a bundle that is not shaken loads them.
 * Lines stay where they are, as the source maps say.
 */
const withoutHelpers = {
  name: "without-helpers",
  generateBundle(_options, files) {
    let helpers;
    let isUsed = false;
    for (const [file, chunk] of Object.entries(files)) {
      if (chunk.type !== "chunk") continue;
      if (chunk.moduleIds.join() === HELPERS) {
        helpers = file;
        continue;
      }
      chunk.code = chunk.code.replace(/^import "[./]*(?:chunks\/)?rolldown-runtime\.js";$/m, "");
      isUsed ||= chunk.code.includes('rolldown-runtime.js"');
    }
    if (helpers === undefined || isUsed) return;
    delete files[helpers];
    delete files[`${helpers}.map`];
  },
};

/** What is taken into a bundle keeps its license beside it. */
function copyLicense(name, folder) {
  const from = fileURLToPath(new URL(`../../node_modules/${name}/`, import.meta.url));
  const license = readdirSync(from).find((file) => /^licen[cs]e/i.test(file));
  if (license === undefined) throw new Error(`${name} has no license to copy`);
  const file = `${name.replace("@", "").replace("/", "-")}-LICENSE.txt`;
  copyFileSync(from + license, `${folder}/dist/chunks/${file}`);
}

async function bundle(folder) {
  const entries = entriesOf(folder).map((path) => [path, `${folder}/src/${path}.ts`]);
  const built = await rolldown({
    input: Object.fromEntries(entries),
    // Only the command and the gateway may ask for Node: the others run on edge runtimes, too.
    platform: ["cli", "gateway"].includes(basename(folder)) ? "node" : "neutral",
    resolve: { mainFields: ["module", "main"] },
    preserveEntrySignatures: "allow-extension",
    external: (id) =>
      !id.startsWith(".") &&
      !isAbsolute(id) &&
      ![METASCHEMA, MANY_FILES, COMMON_JS].some((inside) => inside.test(id)),
    transform: { target: "es2023" },
    // Shaking, and `minify` below, each drop calls that are made only to see whether they throw:
    // `decodeURIComponent(text)` and `String(value)` pass for pure. The sources have nothing unused.
    treeshake: false,
    plugins: [hostNames, withoutHelpers],
    onLog: (level, log) => {
      if (level === "warn") throw new Error(`${folder}: ${log.message}`);
    },
  });
  rmSync(`${folder}/dist/chunks`, { recursive: true, force: true });
  const { output } = await built.write({
    dir: `${folder}/dist`,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "starts", name: fileOf(folder), test: /[\\/]src[\\/]/ }],
    },
    minify: false,
    comments: false,
    sourcemap: true,
    // They are published beside it.
    sourcemapExcludeSources: true,
  });
  await built.close();
  const ids = output.flatMap(({ moduleIds = [] }) => moduleIds).join("\n");
  const taken = new Set(
    [...ids.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(([, name]) => name),
  );
  for (const name of taken) copyLicense(name, folder);
}

// The console is a page, which Vite builds.
const all = () => readdirSync(packages).filter((name) => name !== "console");
const named = process.argv.slice(2).map((folder) => resolve(folder));

/** The servers of `touchstone demo`, which are plain JavaScript and go into the package as they are. */
function copyDemoServers() {
  for (const server of ["faulty-server", "notes-server"]) {
    const from = fileURLToPath(new URL(`../../examples/${server}/`, import.meta.url));
    const to = `${packages}cli/dist/demo-servers/${server}/`;
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    for (const file of readdirSync(from).filter((name) => name.endsWith(".mjs"))) {
      copyFileSync(from + file, to + file);
    }
  }
}

copyDemoServers();
await Promise.all((named.length > 0 ? named : all().map((name) => packages + name)).map(bundle));
