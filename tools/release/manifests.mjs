// `npm run release:manifests -- --repository OWNER/NAME`: fills the manifest templates with the version and the hash of
// the packed command (release/npm), into release/manifests: Homebrew's and Scoop's, which go to the repositories of a
// tap and a bucket, and server.json, which goes to the MCP registry.
import "../help.mjs";

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PACKAGES } from "../build/rolldown.mjs";
import { registryNameOf } from "./pack.mjs";

const { values } = parseArgs({
  options: {
    repository: { type: "string" },
    packed: { type: "string", default: "release/npm" },
    out: { type: "string", default: "release/manifests" },
  },
});
if (!/^[\w.-]+\/[\w.-]+$/.test(values.repository ?? ""))
  throw new Error("give --repository OWNER/NAME");

const { version } = JSON.parse(readFileSync(`${PACKAGES}cli/package.json`, "utf8"));
const tarball = readFileSync(join(resolve(values.packed), `touchstone-${version}.tgz`));
const filling = {
  version,
  repository: values.repository,
  registryName: registryNameOf(values.repository),
  sha256: createHash("sha256").update(tarball).digest("hex"),
};
const templates = fileURLToPath(new URL("./templates/", import.meta.url));
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
for (const name of readdirSync(templates)) {
  const text = readFileSync(templates + name, "utf8").replace(/\{\{(\w+)\}\}/g, (_, key) => {
    if (!(key in filling)) throw new Error(`${name} asks for ${key}`);
    return filling[key];
  });
  writeFileSync(join(out, name), text);
  console.log(join(out, name));
}
