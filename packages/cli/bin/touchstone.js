#!/usr/bin/env node
import { readFileSync } from "node:fs";
import module from "node:module";

const main = new URL("../dist/main.js", import.meta.url);
const [first, ...others] = process.argv.slice(2);

if ((first === "--version" || first === "-V") && others.length === 0) {
  // Needs nothing of the program, and is asked by scripts.
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
} else {
  // Compiling takes most of a start; Node 20 has no cache for it.
  module.enableCompileCache?.();
  try {
    await import(main.href);
  } catch (error) {
    if (error?.code !== "ERR_MODULE_NOT_FOUND" || error.url !== main.href) throw error;
    process.stderr.write("touchstone is not built; run npm run build\n");
    process.exitCode = 3;
  }
}
