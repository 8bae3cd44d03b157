// Puts what each package runs into a few files: a start pays for every file that it loads, and there are
// hundreds of sources. `tsc -b` has put the types beside them. What other packages hold stays with them.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** Sources that are programs though no other package names them: those of threads, and the command's. */
const PROGRAM = /(^|[/-])entry\.ts$|^main\.ts$/;

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

async function bundle(name) {
  const folder = `${packages}${name}`;
  const entries = entriesOf(folder).map((path) => [path, `${folder}/src/${path}.ts`]);
  const built = await rolldown({
    input: Object.fromEntries(entries),
    platform: "node",
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    transform: { target: "es2023" },
    onLog: (level, log) => {
      if (level === "warn") throw new Error(`${name}: ${log.message}`);
    },
  });
  rmSync(`${folder}/dist/chunks`, { recursive: true, force: true });
  await built.write({
    dir: `${folder}/dist`,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    sourcemap: true,
    // They are published beside it.
    sourcemapExcludeSources: true,
  });
  await built.close();
}

// The console is a page, which Vite builds.
const names = readdirSync(packages).filter((name) => name !== "console");
await Promise.all(names.map(bundle));
