// `npm run release:version -- X.Y.Z`: gives everything that is released the same version: packages and their
// dependencies on one another, the lock file, the Python package, the chart, the manifests, and the changelog, whose
// unreleased part becomes that of the version. Without a version, checks that all have the same one, and prints it.
// Publishes nothing.
import "../help.mjs";

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ROOT } from "../build/rolldown.mjs";

const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const MANIFESTS = [
  "package.json",
  ...readdirSync(`${ROOT}packages`).map((name) => `packages/${name}/package.json`),
];

/** Files that are not npm manifests, and where they hold the version. */
const OTHERS = {
  "python/pyproject.toml": /^version = "([^"]+)"$/gm,
  "deploy/helm/touchstone/Chart.yaml": /^(?:version|appVersion): (.+)$/gm,
  "deploy/kubernetes/deployment.yaml": /image: touchstone:(.+)$/gm,
  "deploy/claude-code/.claude-plugin/plugin.json": /"version": "([^"]+)"/gm,
};

const isOwn = (name) => name === "touchstone" || name.startsWith("@touchstone/");

/** Returns every place of the version in a manifest, or in a lock file entry: object and key. */
function* placesIn(manifest) {
  yield [manifest, "version"];
  for (const kind of ["dependencies", "devDependencies", "peerDependencies"]) {
    for (const name of Object.keys(manifest[kind] ?? {})) {
      if (isOwn(name)) yield [manifest[kind], name];
    }
  }
}

function* placesInLock(lock) {
  yield [lock, "version"];
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === "" || /^packages\/[^/]+$/.test(path)) yield* placesIn(entry);
  }
}

/** Returns all current versions, with their places. */
export function versions() {
  const found = [];
  for (const file of MANIFESTS) {
    for (const [of, key] of placesIn(JSON.parse(readFileSync(ROOT + file, "utf8")))) {
      found.push([`${file} ${key}`, of[key]]);
    }
  }
  const lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, "utf8"));
  for (const [of, key] of placesInLock(lock)) found.push([`package-lock.json ${key}`, of[key]]);
  for (const [file, pattern] of Object.entries(OTHERS)) {
    const text = readFileSync(ROOT + file, "utf8");
    for (const [, version] of text.matchAll(pattern)) found.push([file, version]);
  }
  return found;
}

function write(file, value) {
  writeFileSync(ROOT + file, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Sets the version everywhere. */
function setVersion(version, date) {
  for (const file of MANIFESTS) {
    const manifest = JSON.parse(readFileSync(ROOT + file, "utf8"));
    for (const [of, key] of placesIn(manifest)) of[key] = version;
    write(file, manifest);
  }
  const lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, "utf8"));
  for (const [of, key] of placesInLock(lock)) of[key] = version;
  write("package-lock.json", lock);
  for (const [file, pattern] of Object.entries(OTHERS)) {
    const text = readFileSync(ROOT + file, "utf8");
    const after = text.replace(pattern, (line, before) => line.replace(before, version));
    writeFileSync(ROOT + file, after);
  }
  const changelog = readFileSync(`${ROOT}CHANGELOG.md`, "utf8");
  if (!changelog.includes("## Unreleased\n"))
    throw new Error("CHANGELOG.md has no unreleased part");
  const heading = `## Unreleased\n\n## ${version} - ${date}\n`;
  writeFileSync(`${ROOT}CHANGELOG.md`, changelog.replace("## Unreleased\n", heading));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [version, ...rest] = process.argv.slice(2);
  if (rest.length > 0 || (version !== undefined && !VERSION.test(version))) {
    throw new Error("give one version, such as 0.2.0, or none to check");
  }
  if (version !== undefined) setVersion(version, new Date().toISOString().slice(0, 10));
  const found = versions();
  const [[, expected]] = found;
  const others = found.filter(([, given]) => given !== expected);
  for (const [place, given] of others) console.error(`${place}: ${given} and not ${expected}`);
  if (others.length > 0) process.exitCode = 1;
  else console.log(expected);
}
