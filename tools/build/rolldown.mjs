// What the bundles of the packages (`bundle.mjs`) and of the command (`command.mjs`) have in common.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** The folder of the project, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The folder of the packages, with a slash at its end. */
export const PACKAGES = `${ROOT}packages/`;

/** Sources that are programs though no other package names them: those of threads, and the command's. */
const PROGRAM = /(^|[/-])entry\.ts$|^main\.ts$/;

/** Of TypeBox's formats, `core` takes the two of host names, which `format/` only passes on. */
const HOST_NAMES = `${ROOT}node_modules/typebox/build/format/idna/index.mjs`;
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

/** Returns the programs of packages that start often: by name, the paths of their sources. */
export function startsOf(...names) {
  const starts = {};
  for (const name of names) {
    for (const [start, sources] of Object.entries(STARTS[name] ?? {})) {
      starts[start] ??= [];
      starts[start].push(...sources.map((source) => join(PACKAGES, name, "src", `${source}.ts`)));
    }
  }
  return starts;
}

/** Returns the programs of a package: paths inside `src`, without their ending. */
export function programsOf(folder) {
  return readdirSync(`${folder}/src`, { recursive: true })
    .filter((path) => PROGRAM.test(path.replaceAll("\\", "/")))
    .map((path) => path.replaceAll("\\", "/").replace(/\.ts$/, ""));
}

/** Returns the name of the file that a source goes into; null leaves it to rolldown. */
function fileOf(starts) {
  const roots = new Set(Object.values(starts).flat());
  const reached = new Map();
  const reach = (name, id, context) => {
    const names = reached.get(id) ?? new Set();
    if (names.has(name)) return;
    reached.set(id, names.add(name));
    for (const next of context.getModuleInfo(id)?.importedIds ?? []) reach(name, next, context);
  };
  return (id, context) => {
    if (reached.size === 0) {
      for (const [name, sources] of Object.entries(starts)) {
        for (const source of sources) reach(name, source, context);
      }
    }
    const names = [...(reached.get(id) ?? [])];
    // What is loaded by its name, or when it is needed, stays a file of its own.
    const isAlone = roots.has(id) || context.getModuleInfo(id)?.dynamicImporters.length > 0;
    return names.length === 0 || isAlone ? null : names.join("-");
  };
}

const HELPERS = "\0rolldown/runtime.js";

/** Leaves out rolldown's helpers if nothing needs them: each chunk of a bundle that is not shaken loads them. */
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
    if (helpers !== undefined && !isUsed) delete files[helpers];
  },
};

/**
 * Bundles sources into a folder.
 * @param options `input`: paths of sources by the names of their files; `starts`: of `startsOf`;
 *   `grouped`: which sources may share a file of `starts`; other options are rolldown's
 * @returns the libraries that were taken in: names in the order of the alphabet
 * @throws Error if rolldown warns
 */
export async function bundle({ dir, input, starts, grouped, plugins = [], ...options }) {
  const built = await rolldown({
    input,
    preserveEntrySignatures: "allow-extension",
    transform: { target: "es2023" },
    // Shaking, and `minify` below, each drop calls that are made only to see whether they throw:
    // `decodeURIComponent(text)` and `String(value)` pass for pure. The sources have nothing unused.
    treeshake: false,
    plugins: [hostNames, withoutHelpers, ...plugins],
    onLog: (level, log) => {
      if (level === "warn") throw new Error(`${dir}: ${log.message}`);
    },
    ...options,
  });
  const { output } = await built.write({
    dir,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "starts", name: fileOf(starts), test: grouped }],
    },
    minify: false,
    comments: false,
  });
  await built.close();
  const ids = output.flatMap(({ moduleIds = [] }) => moduleIds).join("\n");
  const libraries = ids.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g);
  return [...new Set([...libraries].map(([, name]) => name))].sort();
}

/**
 * Returns a library that is taken in, with its license: the file, or else the section of its README.
 * @throws Error if it has no text of its license
 */
export function libraryOf(name) {
  const folder = `${ROOT}node_modules/${name}/`;
  const { version, license } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
  const files = readdirSync(folder);
  const file = files.find((entry) => /^licen[cs]e/i.test(entry));
  if (file !== undefined)
    return { name, version, license, text: readFileSync(folder + file, "utf8") };
  const readme = files.find((entry) => /^readme/i.test(entry));
  const text =
    readme && /^#+ *licen[cs]e\b.*\n([\s\S]*)/im.exec(readFileSync(folder + readme, "utf8"))?.[1];
  if (!text) throw new Error(`${name} has no license to copy`);
  return { name, version, license, text };
}
