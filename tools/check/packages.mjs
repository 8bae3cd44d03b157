// `npm run check:packages`: packs every public package, installs the tarballs into an empty folder as a
// user would, and tries the command, every entry from ES modules and from CommonJS, and the types; on this
// Node and on those that tools/conformance brings, and what runs at the edge in its workerd.
import "../help.mjs";

import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { faultsOnEdge } from "./edge/edge.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "touchstone-packages-"));
const manifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const npm = (args, cwd) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const faults = [];
const fault = (text) => faults.push(text);

/** Node by its version. */
const nodes = [
  process.execPath,
  ...["node22", "node24", "node26"].map((name) =>
    join(root, "tools/conformance/node_modules", name, "bin/node"),
  ),
]
  .filter((path) => existsSync(path))
  .map((path) => [execFileSync(path, ["--version"], { encoding: "utf8" }).trim(), path]);

/** What a start may take beyond an empty one, in milliseconds: the least of that many of each. */
const MAX_START_MS = 60;
const STARTS = 12;

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
  if (!paths.has("LICENSE")) fault(`${name} holds no LICENSE`);
  for (const path of paths) {
    if (UNWANTED.test(path)) fault(`${name} holds ${path}`);
    if (!path.endsWith(".map")) continue;
    const { sources } = JSON.parse(readFileSync(join(folder, path), "utf8"));
    for (const source of sources) {
      const target = new URL(source, `file:///${path}`).pathname.slice(1);
      // The metaschemas are data that is built in; a debugger has nothing to step through.
      if (target.startsWith("node_modules/ajv/dist/refs/")) continue;
      const [, library] = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(target) ?? [];
      if (library !== undefined) {
        // A library that is built in keeps its license beside it.
        const license = `dist/chunks/${library.replace("@", "").replace("/", "-")}-LICENSE.txt`;
        if (!paths.has(license)) fault(`${name} holds ${library} without its license`);
        continue;
      }
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

/** Milliseconds that the quickest start takes beyond the quickest empty one, by turns. */
function startBeyondNode(command) {
  const timed = (args) => {
    const started = performance.now();
    spawnSync(process.execPath, args, { cwd: scratch, stdio: "ignore" });
    return performance.now() - started;
  };
  const turns = Array.from({ length: STARTS }, () => [
    timed(["-e", "0"]),
    timed([command, "--version"]),
  ]);
  const least = (i) => Math.min(...turns.map((turn) => turn[i]));
  return Math.round(least(1) - least(0));
}

try {
  const tarballs = packages.map(pack);
  writeFileSync(join(scratch, "package.json"), '{ "name": "empty", "private": true }');
  npm(["install", "--no-audit", "--no-fund", ...tarballs], scratch);

  const { version } = manifest(join(root, "packages/cli"));
  const command = join(scratch, "node_modules/.bin/touchstone");
  for (const [node, path] of nodes) {
    if (run(`touchstone --version on ${node}`, path, [command, "--version"]).trim() !== version) {
      fault(`touchstone --version on ${node} prints something else than the version`);
    }
  }
  const beyond = startBeyondNode(command);
  if (beyond > MAX_START_MS) fault(`touchstone --version takes ${beyond} ms more than node -e 0`);

  const entries = packages.flatMap((folder) => {
    const { name, exports = {} } = manifest(folder);
    return Object.keys(exports)
      .filter((path) => !path.endsWith(".json"))
      .map((path) => name + path.slice(1));
  });
  const imports = entries.map((entry, index) => `import * as m${index} from "${entry}";`);
  const uses = entries.map((_, index) => `m${index}`).join(", ");
  writeFileSync(join(scratch, "esm.mjs"), `${imports.join("\n")}\nvoid [${uses}];\n`);
  const requires = entries.map((entry) => `require("${entry}");`).join("\n");
  writeFileSync(join(scratch, "commonjs.cjs"), requires);
  for (const [node, path] of nodes) {
    run(`import from ES modules on ${node}`, path, ["esm.mjs"]);
    run(`require from CommonJS on ${node}`, path, ["--no-warnings", "commonjs.cjs"]);
  }

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

  const workerd = join(
    root,
    "tools/conformance/node_modules/@cloudflare/workerd-linux-64/bin/workerd",
  );
  const hasEdge = existsSync(workerd);
  if (hasEdge) faults.push(...(await faultsOnEdge(scratch, workerd)));

  const kilobytes = Number(
    execFileSync("du", ["-sk", "node_modules"], { cwd: scratch, encoding: "utf8" }).split("\t")[0],
  );
  const megabytes = Math.round(kilobytes / 1024);
  if (megabytes > 80) fault(`an install takes ${megabytes} MB, more than 80`);
  const tried = [...nodes.map(([node]) => `Node ${node}`), ...(hasEdge ? ["workerd"] : [])].join(
    ", ",
  );
  console.log(
    `${packages.length} packages, ${entries.length} entries, ${megabytes} MB installed; ` +
      `on ${tried}; --version ${beyond} ms beyond node -e 0`,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const text of faults) console.error(text);
process.exitCode = faults.length === 0 ? 0 : 1;
