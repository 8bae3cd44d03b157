// Puts what each package runs into a few files: a start pays for every file that it loads, and there are
// hundreds of sources. `tsc -b` has put the types beside them. What other packages hold stays with them.
// Folders of packages may be named: without any, all of them are bundled.
import "../help.mjs";

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

/** Sources that are programs though no other package names them: those of threads, and the command's. */
const PROGRAM = /(^|[/-])entry\.ts$|^main\.ts$/;

/** Data of a package that nothing else is needed of. */
const METASCHEMA = /^ajv\/dist\/refs\/.*\.json$/;

/** A library in some two hundred files, which takes ten times as long to load as one. */
const MANY_FILES = /^kysely$/;

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
 * Leaves out rolldown's helpers, which stand in every bundle that is not shaken and are loaded by each chunk of it.
 * Lines stay where they are, as the source maps say.
 */
function withoutHelpers() {
  let names = [];
  return {
    name: "without-helpers",
    transform(code, id) {
      if (id !== HELPERS) return undefined;
      names = [...code.matchAll(/^export var (\w+)/gm)].map(([, name]) => name);
      return { code: `export var ${names.join(", ")};`, map: null };
    },
    generateBundle(_options, files) {
      const used = new RegExp(`\\b(?:${names.join("|")})\\b`);
      for (const [file, chunk] of Object.entries(files)) {
        if (chunk.type !== "chunk") continue;
        if (chunk.moduleIds.join() === HELPERS) {
          delete files[file];
          delete files[`${file}.map`];
          continue;
        }
        chunk.code = chunk.code
          .replace(/^import "[./]*(?:chunks\/)?rolldown-runtime\.js";$/m, "")
          .replace(`var ${names.join(", ")};`, "");
        const [helper] = used.exec(chunk.code) ?? [];
        if (helper)
          throw new Error(`${file} needs rolldown's ${helper}: import what it takes by name`);
      }
    },
  };
}

async function bundle(folder) {
  const entries = entriesOf(folder).map((path) => [path, `${folder}/src/${path}.ts`]);
  const built = await rolldown({
    input: Object.fromEntries(entries),
    platform: "node",
    external: (id) =>
      !id.startsWith(".") && !isAbsolute(id) && !METASCHEMA.test(id) && !MANY_FILES.test(id),
    transform: { target: "es2023" },
    // Shaking, and `minify` below, each drop calls that are made only to see whether they throw:
    // `decodeURIComponent(text)` and `String(value)` pass for pure. The sources have nothing unused.
    treeshake: false,
    plugins: [withoutHelpers()],
    onLog: (level, log) => {
      if (level === "warn") throw new Error(`${folder}: ${log.message}`);
    },
  });
  rmSync(`${folder}/dist/chunks`, { recursive: true, force: true });
  const { output } = await built.write({
    dir: `${folder}/dist`,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    minify: false,
    comments: false,
    sourcemap: true,
    // They are published beside it.
    sourcemapExcludeSources: true,
  });
  await built.close();
  if (output.some(({ moduleIds = [] }) => moduleIds.some((id) => id.includes("/kysely/")))) {
    const license = fileURLToPath(new URL("../../node_modules/kysely/LICENSE", import.meta.url));
    copyFileSync(license, `${folder}/dist/chunks/kysely-LICENSE.txt`);
  }
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
