#!/usr/bin/env node
import module from "node:module";

// Compiling takes most of a start; Node 20 has no cache for it.
module.enableCompileCache?.();
const main = new URL("../dist/main.js", import.meta.url);
try {
  await import(main.href);
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || error.url !== main.href) throw error;
  process.stderr.write("touchstone is not built; run npm run build\n");
  process.exitCode = 3;
}
