// Builds the WebAssembly scanner: packages/core/assembly -> packages/core/src/json/wasm/scanner.generated.ts. Does
// nothing if the result is up to date, by the hash of all inputs.
import "../help.mjs";

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../packages/core/assembly/", import.meta.url));
const target = fileURLToPath(
  new URL("../../packages/core/src/json/wasm/scanner.generated.ts", import.meta.url),
);

// No runtime and no allocation: the sources use memory by address only. 118 pages hold everything before the text, and
// a window of 64 KiB of the text.
const OPTIONS = [
  "--optimizeLevel=3",
  "--shrinkLevel=0",
  "--noAssert",
  "--runtime=stub",
  "--enable=simd",
  "--initialMemory=118",
  "--use=abort=",
];

const { version } = createRequire(import.meta.url)("assemblyscript/package.json");
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .sort();
const sources = new Map(names.map((name) => [name, readFileSync(folder + name, "utf8")]));

const hash = createHash("sha256");
for (const part of [version, ...OPTIONS, ...[...sources].flat()]) hash.update(`${part}\0`);
const digest = hash.digest("hex");
const mark = `// Made by tools/build/scanner.mjs from packages/core/assembly (${digest}).`;

if (existsSync(target) && readFileSync(target, "utf8").startsWith(mark)) process.exit(0);

const { default: asc } = await import("assemblyscript/asc");
let wasm;
const { error, stdout, stderr } = await asc.main(
  ["index.ts", "--outFile=scanner.wasm", ...OPTIONS],
  {
    readFile: (name) => sources.get(name) ?? null,
    writeFile: (name, content) => {
      if (name === "scanner.wasm") wasm = content;
    },
    listFiles: () => names,
  },
);
if (error || wasm === undefined) {
  console.error(`The scanner could not be built from ${folder}:`);
  console.error(`${stderr}${stdout}` || error?.message || "the compiler wrote nothing");
  process.exit(1);
}
const text = `${mark}
/** The WebAssembly module of the scanner, ${wasm.length} bytes in base64. */
export const SCANNER_BASE64: string =
  "${Buffer.from(wasm).toString("base64")}";
`;
mkdirSync(dirname(target), { recursive: true });
// Two simultaneous builds write the same bytes, and neither sees a half-written file of the other.
const part = `${target}.${process.pid}`;
writeFileSync(part, text);
renameSync(part, target);
console.log(`scanner: ${wasm.length} bytes of WebAssembly`);
