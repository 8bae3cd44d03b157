#!/usr/bin/env node
import { readdirSync, readFileSync } from "node:fs";
import module from "node:module";
import { setPriority } from "node:os";

const main = new URL("../dist/main.js", import.meta.url);
const [first, ...others] = process.argv.slice(2);

/**
 * Lets gateways on the same machine go first: who looks into the records can wait, a call cannot. Here,
 * because what is loaded takes longer than most questions. On Linux each thread has its own priority.
 */
function yieldToGateways() {
  try {
    if (process.platform !== "linux") setPriority(10);
    else for (const thread of readdirSync("/proc/self/task")) setPriority(Number(thread), 10);
  } catch {
    // Not everywhere may a process change it.
  }
}

/** Why the program could not be loaded: what it runs into itself it tells itself. */
function notLoaded(error) {
  if (error?.code === "ERR_MODULE_NOT_FOUND" && error.url === main.href) {
    return "touchstone is not built; run npm run build";
  }
  const hint = /^E[MN]FILE$/.test(error?.code)
    ? "raise the limit of open files (ulimit -n)"
    : "install it again, with a Node.js that it supports";
  return `touchstone: the program cannot be loaded: ${error?.message}; ${hint}`;
}

if ((first === "--version" || first === "-V") && others.length === 0) {
  // Needs nothing of the program, and is asked by scripts.
  // The program has words for a disk that is full, and none for a reader that has left.
  process.stdout.once("error", () => void import(main.href));
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
} else {
  if (first === "activity") yieldToGateways();
  // SQLite's binding asks a report for the C library, which would describe all sockets as well.
  if (process.report) process.report.excludeNetwork = true;
  // Compiling takes most of a start; Node 20 has no cache for it.
  module.enableCompileCache?.();
  try {
    await import(main.href);
  } catch (error) {
    process.stderr.write(`${notLoaded(error)}\n`);
    process.exitCode = 3;
  }
}
