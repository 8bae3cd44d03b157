// `npm run check:packages`: packs every public package, installs the tarballs into an empty folder as a
// user would, and tries the command, every entry from ES modules and from CommonJS, and the types.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "touchstone-packages-"));
const manifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const npm = (args, cwd) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const faults = [];
const fault = (text) => faults.push(text);

const packages = readdirSync(join(root, "packages"))
  .map((name) => join(root, "packages", name))
  .filter((folder) => manifest(folder).private !== true);

/** Files that nobody who installs a package has a use for. */
const UNWANTED = /(^|\/)(testing\/|.*\.test\.|.*\.tsbuildinfo|tsconfig|vitest)/;

function pack(folder) {
  const [{ filename, files }] = JSON.parse(
    npm(["pack", "--json", "--pack-destination", scratch], folder),
  );
  const { name } = manifest(folder);
  const paths = new Set(files.map(({ path }) => path));
  for (const path of paths) {
    if (UNWANTED.test(path)) fault(`${name} holds ${path}`);
    if (!path.endsWith(".map")) continue;
    const { sources } = JSON.parse(readFileSync(join(folder, path), "utf8"));
    for (const source of sources) {
      const target = new URL(source, `file:///${path}`).pathname.slice(1);
      if (!paths.has(target)) fault(`${name}: ${path} points to ${target}, which is not packed`);
    }
  }
  return join(scratch, filename);
}

function run(what, command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: scratch, encoding: "utf8" });
  if (status !== 0) fault(`${what}: exit ${status}\n${stdout}${stderr}`);
  return stdout;
}

try {
  const tarballs = packages.map(pack);
  writeFileSync(join(scratch, "package.json"), '{ "name": "empty", "private": true }');
  npm(["install", "--no-audit", "--no-fund", ...tarballs], scratch);

  const { version } = manifest(join(root, "packages/cli"));
  const command = join(scratch, "node_modules/.bin/touchstone");
  if (run("touchstone --version", command, ["--version"]).trim() !== version) {
    fault("touchstone --version prints something else than the version");
  }

  const entries = packages.flatMap((folder) => {
    const { name, exports = {} } = manifest(folder);
    return Object.keys(exports)
      .filter((path) => !path.endsWith(".json"))
      .map((path) => name + path.slice(1));
  });
  const imports = entries.map((entry, index) => `import * as m${index} from "${entry}";`);
  const uses = entries.map((_, index) => `m${index}`).join(", ");
  writeFileSync(join(scratch, "esm.mjs"), `${imports.join("\n")}\nvoid [${uses}];\n`);
  run("import from ES modules", process.execPath, ["esm.mjs"]);
  const requires = entries.map((entry) => `require("${entry}");`).join("\n");
  writeFileSync(join(scratch, "commonjs.cjs"), requires);
  run("require from CommonJS", process.execPath, ["--no-warnings", "commonjs.cjs"]);

  const tsc = join(root, "node_modules/typescript/bin/tsc");
  mkdirSync(join(scratch, "types"));
  writeFileSync(
    join(scratch, "types/index.mts"),
    `${imports.join("\n")}\nexport default [${uses}];\n`,
  );
  for (const [module, resolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ]) {
    const options = ["--noEmit", "--strict", "--module", module, "--moduleResolution", resolution];
    const rest = ["--target", "es2023", "--lib", "es2023,dom", "--types", "node"];
    const roots = ["--typeRoots", join(root, "node_modules/@types"), "types/index.mts"];
    run(`types under ${resolution}`, process.execPath, [tsc, ...options, ...rest, ...roots]);
  }

  const kilobytes = Number(
    execFileSync("du", ["-sk", "node_modules"], { cwd: scratch, encoding: "utf8" }).split("\t")[0],
  );
  const megabytes = Math.round(kilobytes / 1024);
  if (megabytes > 80) fault(`an install takes ${megabytes} MB, more than 80`);
  console.log(`${packages.length} packages, ${entries.length} entries, ${megabytes} MB installed`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const text of faults) console.error(text);
process.exitCode = faults.length === 0 ? 0 : 1;
