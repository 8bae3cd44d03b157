// The processes of the benchmark, and the ways to a server: direct, through a bare relay, and through us.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
export const NODE = process.execPath;
export const TOUCHSTONE = path("../../../packages/cli/bin/touchstone.js");
export const UPSTREAM = path("./upstream.mjs");
export const RELAY = path("./relay.mjs");
export const RECORDING_RELAY = path("./recording-relay.mjs");
const READY_MS = 30_000;

const children = new Set();
const directories = [];
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

export function temporary() {
  const directory = mkdtempSync(join(tmpdir(), "touchstone-bench-"));
  directories.push(directory);
  return directory;
}

export const start = (args, env = {}) => started(args, env, ["pipe", "pipe", "pipe"]);

/** Starts a process that can send messages to this one. */
export const startWithChannel = (args) => started(args, {}, ["pipe", "pipe", "pipe", "ipc"]);

function started(args, env, stdio) {
  const child = spawn(NODE, args, { stdio, env: { ...process.env, ...env } });
  child.stderr.setEncoding("utf8");
  child.errors = "";
  child.stderr.on("data", (text) => {
    child.errors = (child.errors + text).slice(-4000);
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.stdin.end();
  child.kill("SIGTERM");
  await exited;
}

/** Waits until a pattern matches the output of a process; resolves with its first group. */
export function said(child, stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`not ready: ${child.errors}`)), READY_MS);
    child.once("exit", () => reject(new Error(`ended before it was ready: ${child.errors}`)));
    stream.on("data", function look(chunk) {
      text += chunk;
      const found = pattern.exec(text);
      if (found === null) return;
      clearTimeout(timer);
      stream.off("data", look);
      resolve(found[1]);
    });
  });
}

export async function port(args) {
  const child = start(args);
  return { child, url: `http://127.0.0.1:${await said(child, child.stdout, /^(\d+)\n/)}/mcp` };
}

/** The SDK's server keeps its responses: with large results that is gigabytes after some minutes. */
const ROOM_FOR_ANSWERS = "--max-old-space-size=8192";

export const httpUpstream = (file = UPSTREAM) => port([ROOM_FOR_ANSWERS, file, "http"]);

/** Starts `touchstone serve` in front of an entry of `mcpServers`. @param touchstone the command's file */
export async function serve(entry, mode, touchstone = TOUCHSTONE) {
  const directory = temporary();
  const config = join(directory, "touchstone.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { bench: entry } }));
  // Not next to the configuration, whose folder is watched: records are not usually there.
  const where = ["--config", config, "--data-dir", temporary(), "--listen", "127.0.0.1:0"];
  const child = start([touchstone, "serve", ...where, "--mode", mode]);
  const url = await said(child, child.stderr, /bench: (http:\S+)\n/);
  return { child, url };
}

/**
 * Starts `touchstone wrap` in front of an upstream: `["--url", url]`, or `["--", command, …args]`.
 * @param touchstone the command's file
 */
export function wrap(mode, upstream, touchstone = TOUCHSTONE) {
  const options = ["--name", "bench", "--mode", mode, "--data-dir", temporary()];
  return start([touchstone, "wrap", ...options, ...upstream]);
}
