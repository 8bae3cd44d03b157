// What the bundles of the packages (`bundle.mjs`) and of the command (`command.mjs`) share.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** The folder of the project, with a trailing slash. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The folder of the packages, with a trailing slash. */
export const PACKAGES = `${ROOT}packages/`;

/** Sources that are programs although no other package names them: those of threads, and the command's. */
const PROGRAM = /(^|[/-])entry\.ts$|^main\.ts$/;

/** Of TypeBox's formats, `core` uses only the two for host names, which `format/` merely re-exports. */
const HOST_NAMES = `${ROOT}node_modules/typebox/build/format/idna/index.mjs`;
const hostNames = {
  name: "host-names",
  resolveId: (id) => (id === "typebox/format" ? HOST_NAMES : undefined),
};

/**
 * The programs that start often, by package, each with the sources that it begins with. Sources that the same
 * programs load share one file: every file costs time at start, and rolldown would make one for each set of entries.
 */
const STARTS = {
  cli: { command: ["main"], wrap: ["run-wrap"] },
  records: {
    command: ["errors", "filter", "record"],
    fold: ["journal/entry"],
    read: ["serve"],
    relay: ["open-sqlite", "plain"],
  },
  gateway: {
    command: ["errors", "log", "activity-errors", "activity-filter", "activity-record"],
    read: ["insight/reading/entry"],
    child: ["wrap"],
    relay: ["server/wrap-relay"],
    mock: ["mock"],
  },
};

/** Returns the programs of packages that start often: the paths of their sources, by name. */
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

/** Returns the programs of a package: paths inside `src`, without their extension. */
export function programsOf(folder) {
  return readdirSync(`${folder}/src`, { recursive: true })
    .filter((path) => PROGRAM.test(path.replaceAll("\\", "/")))
    .map((path) => path.replaceAll("\\", "/").replace(/\.ts$/, ""));
}

/** Returns a function that names the output file of a source; for null, rolldown chooses. */
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
    // A source that is loaded by name, or on demand, keeps its own file.
    const isAlone = roots.has(id) || context.getModuleInfo(id)?.dynamicImporters.length > 0;
    return names.length === 0 || isAlone ? null : names.join("-");
  };
}

const HELPERS = "\0rolldown/runtime.js";

/** Leaves out rolldown's helpers if nothing needs them: without tree shaking, each chunk of a bundle loads them. */
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
 * @param options `input`: paths of sources by the names of their files; `starts`: from `startsOf`; `grouped`: which
 *   sources may share a file of `starts`; other options are rolldown's
 * @returns the names of the libraries that are in the bundle, in alphabetical order
 * @throws Error if rolldown warns
 */
export async function bundle({ dir, input, starts, grouped, plugins = [], ...options }) {
  const built = await rolldown({
    input,
    preserveEntrySignatures: "allow-extension",
    transform: { target: "es2023" },
    // Tree shaking, and `minify` below, would each remove calls that are made only to see whether they throw: they
    // treat `decodeURIComponent(text)` and `String(value)` as pure. The sources contain nothing unused.
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
 * Returns a bundled library with its license: the license file, or else the section of its README.
 * @throws Error if the library has no license text
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
