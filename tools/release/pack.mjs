// `npm run release:pack`: packs every public package as it is published, into release/npm or the folder after --out.
// The command is one bundle with the licenses of its libraries. --repository OWNER/NAME adds two things to the
// manifests: the address of the repository, which npm compares with the place where a release was built (provenance),
// and the command's name in the MCP registry.
import "../help.mjs";

import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PACKAGES, ROOT } from "../build/rolldown.mjs";

const COMMAND = "cli";

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const run = (program, args, cwd) =>
  execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  });

/** Returns the folder names of the published packages. */
export function publicPackages() {
  return readdirSync(PACKAGES).filter((name) => manifestOf(PACKAGES + name).private !== true);
}

/** Copies a library's files, and writes its manifest without the parts that only this repository uses. */
function stageLibrary(name, to) {
  const from = PACKAGES + name;
  const [{ files }] = JSON.parse(run("npm", ["pack", "--dry-run", "--json"], from));
  for (const { path } of files) cpSync(join(from, path), join(to, path));
  const { devDependencies: _, exports = {}, ...manifest } = manifestOf(from);
  for (const entry of Object.values(exports)) delete entry["@touchstone/source"];
  writeManifest(to, { ...manifest, exports });
}

function writeManifest(folder, manifest) {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Returns the command's name in the MCP registry, under which a login from this repository may publish. */
export function registryNameOf(repository) {
  const [owner] = repository.split("/");
  return `io.github.${owner}/touchstone`;
}

function withRepository(manifest, name, repository) {
  const url = `git+https://github.com/${repository}.git`;
  return {
    ...manifest,
    repository: { type: "git", url, directory: `packages/${name}` },
    // The registry compares this name with the one in server.json.
    ...(name === COMMAND ? { mcpName: registryNameOf(repository) } : {}),
  };
}

/**
 * Packs every public package, which must be built.
 * @param out folder for the tarballs
 * @param repository `OWNER/NAME`, or undefined
 * @returns for each package: its folder's name, the tarball, its files, and its sizes in bytes
 */
export function packAll(out, repository) {
  mkdirSync(out, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), "touchstone-pack-"));
  try {
    return publicPackages().map((name) => {
      const staged = join(scratch, name);
      mkdirSync(staged);
      if (name === COMMAND) {
        run(process.execPath, [join(ROOT, "tools/build/command.mjs"), staged], ROOT);
      } else stageLibrary(name, staged);
      if (repository !== undefined) {
        writeManifest(staged, withRepository(manifestOf(staged), name, repository));
      }
      const [packed] = JSON.parse(
        run("npm", ["pack", "--json", "--pack-destination", out], staged),
      );
      const { filename, files, size, unpackedSize } = packed;
      const paths = files.map(({ path }) => path);
      return { name, tarball: join(out, filename), paths, size, unpackedSize };
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { out: { type: "string", default: "release/npm" }, repository: { type: "string" } },
  });
  const out = resolve(values.out);
  rmSync(out, { recursive: true, force: true });
  const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`;
  for (const { tarball, paths, size, unpackedSize } of packAll(out, values.repository)) {
    console.log(
      `${tarball}: ${paths.length} files, ${kilobytes(size)}, ${kilobytes(unpackedSize)} unpacked`,
    );
  }
}
