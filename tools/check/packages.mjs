// `npm run check:packages`: packs every public package as a release does, installs the command and the libraries into
// empty folders as a user would, and tries the demo, every entry from ES modules and from CommonJS, and the types;
// on this Node and on those that tools/conformance brings, and what runs at the edge in its workerd. With `-- --services`
// also the command with its records in PostgreSQL, and telemetry.
import "../help.mjs";

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packAll } from "../release/pack.mjs";
import { faultsOnEdge } from "./edge/edge.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "touchstone-packages-"));
const manifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const npm = (args, cwd) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const faults = [];
const fault = (text) => faults.push(text);

/** Node executables with their versions. */
const nodes = [
  process.execPath,
  ...["node22", "node24", "node26"].map((name) =>
    join(root, "tools/conformance/node_modules", name, "bin/node"),
  ),
]
  .filter((path) => existsSync(path))
  .map((path) => [execFileSync(path, ["--version"], { encoding: "utf8" }).trim(), path]);

/**
 * Maximum number of milliseconds that a start may take longer than that of an empty program: the fastest of STARTS
 * runs of each counts.
 */
const MAX_START_MS = 60;
const STARTS = 12;

/** Limits for an install of the command on one platform. */
const MAX_COMMAND = { megabytes: 30, packages: 10 };
/** Limit for an install of all libraries, in megabytes. */
const MAX_LIBRARIES_MB = 60;

/** Files that users of a package do not need. */
const UNWANTED = /(^|\/)(src\/|testing\/|.*\.test\.|.*\.map$|.*\.tsbuildinfo|tsconfig|vitest)/;

/** Reports what is wrong with the files of a packed package. */
function lookAt({ name, paths }) {
  if (!paths.includes("LICENSE")) fault(`${name} holds no LICENSE`);
  for (const path of paths) if (UNWANTED.test(path)) fault(`${name} holds ${path}`);
}

/** Installs tarballs into a new folder. */
function install(name, tarballs) {
  const folder = join(scratch, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true }');
  npm(["install", "--no-audit", "--no-fund", ...tarballs], folder);
  return folder;
}

function megabytesOf(folder) {
  const args = ["-sk", "node_modules"];
  const [kilobytes] = execFileSync("du", args, { cwd: folder, encoding: "utf8" }).split("\t");
  return Math.round(Number(kilobytes) / 1024);
}

/** Returns how many packages an install has added. */
function packagesIn(folder) {
  const { packages } = JSON.parse(
    readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8"),
  );
  return Object.keys(packages).length;
}

function run(what, command, args, cwd, env = process.env) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) fault(`${what}: exit ${status}\n${stdout}${stderr}`);
  return stdout;
}

/**
 * Returns the milliseconds that the fastest start takes longer than the fastest start of an empty program; both run
 * in turns.
 */
function startBeyondNode(command) {
  const timed = (args) => {
    const started = performance.now();
    spawnSync(process.execPath, args, { stdio: "ignore" });
    return performance.now() - started;
  };
  const turns = Array.from({ length: STARTS }, () => [
    timed(["-e", "0"]),
    timed([command, "--version"]),
  ]);
  const least = (i) => Math.min(...turns.map((turn) => turn[i]));
  return Math.round(least(1) - least(0));
}

/** Tries the command, installed into an empty folder. Returns its cost. */
function checkCommand(tarball) {
  const folder = install("command", [tarball]);
  const megabytes = megabytesOf(folder);
  const packages = packagesIn(folder);
  if (megabytes > MAX_COMMAND.megabytes) fault(`the command takes ${megabytes} MB`);
  if (packages > MAX_COMMAND.packages) fault(`the command brings ${packages} packages`);

  const { version } = manifest(join(root, "packages/cli"));
  const command = join(folder, "node_modules/.bin/touchstone");
  const home = join(scratch, "home");
  mkdirSync(home);
  // Covers every file of the bundle, including those loaded on demand. Optional packages are not installed here.
  writeFileSync(
    join(folder, "all.mjs"),
    `import { readdirSync } from "node:fs";
    const chunks = new URL("node_modules/touchstone/dist/chunks/", import.meta.url);
    for (const file of readdirSync(chunks)) {
      await import(new URL(file, chunks)).catch((error) => {
        if (!/^Cannot find package '(prom-client|@opentelemetry\\/[a-z-]+)'/.test(error.message)) throw error;
      });
    }`,
  );
  const demos = nodes.map(([node, path]) => {
    if (
      run(`touchstone --version on ${node}`, path, [command, "--version"], folder).trim() !==
      version
    ) {
      fault(`touchstone --version on ${node} prints something else than the version`);
    }
    run(`every file of the command on ${node}`, path, ["--no-warnings", "all.mjs"], folder);
    const started = performance.now();
    const env = { ...process.env, HOME: home, TOUCHSTONE_DATA_DIR: join(home, node) };
    const shown = run(`touchstone demo on ${node}`, path, [command, "demo", "--once"], folder, env);
    if (!shown.includes("1 blocked")) fault(`touchstone demo on ${node} blocks nothing:\n${shown}`);
    return `${node} ${((performance.now() - started) / 1000).toFixed(1)} s`;
  });
  const beyond = startBeyondNode(command);
  if (beyond > MAX_START_MS) fault(`touchstone --version takes ${beyond} ms more than node -e 0`);
  return `command: ${megabytes} MB, ${packages} packages; --version ${beyond} ms beyond node -e 0; demo ${demos.join(", ")}`;
}

/** What telemetry needs besides the command, in the tested versions. */
function telemetryPackages() {
  const { devDependencies } = manifest(root);
  return Object.entries(devDependencies)
    .filter(([name]) =>
      /^(@opentelemetry\/(api|resources|sdk-.*|.*-proto)|prom-client)$/.test(name),
    )
    .map(([name, version]) => `${name}@${version}`);
}

/** Tries every entry of the libraries. Returns their cost. */
async function checkLibraries(packed) {
  const folder = install(
    "libraries",
    packed.map(({ tarball }) => tarball),
  );
  const entries = packed.flatMap(({ name: room }) => {
    const { name, exports = {} } = manifest(join(root, "packages", room));
    return Object.keys(exports)
      .filter((path) => !path.endsWith(".json"))
      .map((path) => name + path.slice(1));
  });
  const imports = entries.map((entry, index) => `import * as m${index} from "${entry}";`);
  const uses = entries.map((_, index) => `m${index}`).join(", ");
  writeFileSync(join(folder, "esm.mjs"), `${imports.join("\n")}\nvoid [${uses}];\n`);
  const requires = entries.map((entry) => `require("${entry}");`).join("\n");
  writeFileSync(join(folder, "commonjs.cjs"), requires);
  for (const [node, path] of nodes) {
    run(`import from ES modules on ${node}`, path, ["esm.mjs"], folder);
    run(`require from CommonJS on ${node}`, path, ["--no-warnings", "commonjs.cjs"], folder);
  }

  const tsc = join(root, "node_modules/typescript/bin/tsc");
  mkdirSync(join(folder, "types"));
  writeFileSync(
    join(folder, "types/index.mts"),
    `${imports.join("\n")}\nexport default [${uses}];\n`,
  );
  for (const [module, resolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ]) {
    const options = ["--noEmit", "--strict", "--module", module, "--moduleResolution", resolution];
    const rest = ["--target", "es2023", "--lib", "es2023,dom", "--types", "node"];
    const roots = ["--typeRoots", join(root, "node_modules/@types"), "types/index.mts"];
    run(
      `types under ${resolution}`,
      process.execPath,
      [tsc, ...options, ...rest, ...roots],
      folder,
    );
  }

  const workerd = join(
    root,
    "tools/conformance/node_modules/@cloudflare/workerd-linux-64/bin/workerd",
  );
  const hasEdge = existsSync(workerd);
  if (hasEdge) faults.push(...(await faultsOnEdge(folder, workerd)));

  const megabytes = megabytesOf(folder);
  if (megabytes > MAX_LIBRARIES_MB) fault(`the libraries take ${megabytes} MB`);
  const edge = hasEdge ? ", and in workerd" : "";
  return `${packed.length} libraries: ${entries.length} entries, ${megabytes} MB${edge}`;
}

try {
  const packed = packAll(join(scratch, "packed"));
  packed.forEach(lookAt);
  const isCommand = ({ name }) => name === "cli";
  console.log(checkCommand(packed.find(isCommand).tarball));
  console.log(await checkLibraries(packed.filter((one) => !isCommand(one))));
  if (process.argv.includes("--services")) {
    const folder = install("services", [packed.find(isCommand).tarball, ...telemetryPackages()]);
    const { faultsOfServices } = await import("./services.mjs");
    faults.push(...(await faultsOfServices(folder, nodes)));
    console.log(`services: PostgreSQL and telemetry, ${megabytesOf(folder)} MB with its packages`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const text of faults) console.error(text);
process.exitCode = faults.length === 0 ? 0 : 1;
