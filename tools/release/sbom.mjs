// `npm run release:sbom`: writes the contents of the packed command (release/npm) as CycloneDX into release/sbom: the
// libraries that are built into it, from its page of licenses, and the packages that an install adds, from the lock
// file. The same files always produce the same list.
import "../help.mjs";

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGES, ROOT } from "../build/rolldown.mjs";

/** A heading of the license page: a name, and usually a version. License texts also contain headings. */
const HEADING = /^## (\S+)(?: .*)?$/gm;
/** If there are fewer, the page has a different format than this script reads. */
const LEAST_BUILT_IN = 60;

const { values } = parseArgs({
  options: {
    packed: { type: "string", default: "release/npm" },
    out: { type: "string", default: "release/sbom" },
  },
});
const { version } = JSON.parse(readFileSync(`${PACKAGES}cli/package.json`, "utf8"));
const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, "utf8"));
const tarball = join(resolve(values.packed), `touchstone-${version}.tgz`);
const read = (path) =>
  execFileSync("tar", ["-xzOf", tarball, `package/${path}`], {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
const manifest = JSON.parse(read("package.json"));

const purl = (name, of) => `pkg:npm/${name.replace("@", "%40")}@${of}`;

/** Returns where npm has installed a dependency: in the package's own folder, or in one above. */
function placeOf(name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    const place = at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (place in packages) return place;
    if (at === "") throw new Error(`the lock file has no ${name}, which ${from} asks for`);
  }
}

function component(place, scope) {
  const { version: of, license, integrity } = packages[place];
  const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
  const [algorithm, digest = ""] = (integrity ?? "").split("-");
  if (algorithm !== "sha512") throw new Error(`the lock file has no SHA-512 of ${place}`);
  return {
    type: "library",
    "bom-ref": purl(name, of),
    name,
    version: of,
    ...(scope === undefined ? {} : { scope }),
    hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }],
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    purl: purl(name, of),
  };
}

/** Returns the packages that an install adds, each with its dependencies. */
function installed() {
  const found = new Map();
  const visit = (place, scope) => {
    if (found.has(place)) return;
    const { dependencies = {}, optionalDependencies = {} } = packages[place];
    const asked = {
      required: Object.keys(dependencies),
      optional: Object.keys(optionalDependencies),
    };
    const below = Object.entries(asked).flatMap(([kind, names]) =>
      names.map((name) => [placeOf(name, place), kind === "optional" ? "optional" : scope]),
    );
    found.set(place, { scope, below: below.map(([to]) => to) });
    for (const [to, ofScope] of below) visit(to, ofScope);
  };
  for (const name of Object.keys(manifest.dependencies)) visit(`node_modules/${name}`, "required");
  return found;
}

const builtIn = [
  ...new Set([...read("THIRD-PARTY-LICENSES.md").matchAll(HEADING)].map(([, name]) => name)),
]
  .map((name) => `node_modules/${name}`)
  .filter((place) => place in packages);
if (builtIn.length < LEAST_BUILT_IN) {
  throw new Error(`the page of licenses names ${builtIn.length} libraries: its form has changed`);
}
const brought = installed();
const self = purl("touchstone", version);
const refOf = (place) => component(place)["bom-ref"];
const bom = {
  $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: {
    component: {
      type: "application",
      "bom-ref": self,
      name: "touchstone",
      version,
      hashes: [
        {
          alg: "SHA-512",
          content: createHash("sha512").update(readFileSync(tarball)).digest("hex"),
        },
      ],
      licenses: [{ expression: manifest.license }],
      purl: self,
      // A built-in library is part of the package, not a separate package.
      components: builtIn.map((place) => component(place)),
    },
  },
  components: [...brought].map(([place, { scope }]) => component(place, scope)),
  dependencies: [
    {
      ref: self,
      dependsOn: Object.keys(manifest.dependencies).map((name) => refOf(`node_modules/${name}`)),
    },
    ...[...brought].map(([place, { below }]) => ({
      ref: refOf(place),
      dependsOn: below.map(refOf),
    })),
  ],
};
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
const file = join(out, `touchstone-${version}.cdx.json`);
writeFileSync(file, `${JSON.stringify(bom, undefined, 2)}\n`);
console.log(`${file}: ${builtIn.length} libraries built in, ${brought.size} packages beside it`);
