// The processes of a soak: starts them, requests what they use, and ends all of them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const READY_MS = 60_000;
const ANSWER_MS = 60_000;
export const NODE = process.execPath;
export const TOUCHSTONE = path("../../packages/cli/bin/touchstone.js");
const PROBE = path("./probe.mjs");

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts Node; `onLine` receives each line of its stderr. */
export function startNode(args, { onLine = () => {}, channel = false, detached = false } = {}) {
  const pipes = ["pipe", "pipe", "pipe"];
  const child = spawn(NODE, args, { stdio: channel ? [...pipes, "ipc"] : pipes, detached });
  running.add(child);
  child.exited = once(child, "exit").then(([code, signal]) => code ?? signal);
  child.ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    return code ?? signal;
  });
  // Writing to a process that has ended fails; its end is reported elsewhere.
  child.stdin.on("error", () => {});
  let rest = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) onLine(line);
  });
  return child;
}

/** Starts `touchstone` so that {@link probed} can query it. */
export function startTouchstone(args, onLine) {
  const probing = ["--expose-gc", "--import", PROBE];
  return startNode([...probing, TOUCHSTONE, ...args], { onLine, channel: true });
}

/** Returns what a process that {@link startTouchstone} started uses; undefined if it has ended. */
export async function probed(child) {
  if (!child.connected) return undefined;
  const answered = once(child, "message", { signal: AbortSignal.timeout(ANSWER_MS) });
  child.send("usage", () => {});
  const [usage] = await answered;
  return { ...usage, open: openDescriptors(child.pid) };
}

/** Resolves with the first match in the output of a stream. */
export function said(child, stream, wanted) {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`not said: ${wanted}; ${text}`)), READY_MS);
    const look = (chunk) => {
      text += chunk;
      const found = wanted.exec(text);
      if (found === null) return;
      clearTimeout(timer);
      stream.off("data", look);
      resolve(found);
    };
    stream.on("data", look);
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
}

/** Runs `touchstone` until it ends; returns `{code, stdout, stderr}`. */
export async function runTouchstone(args) {
  const child = startNode([TOUCHSTONE, ...args]);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  child.stdin.end();
  return { code: await child.ended, stdout, stderr };
}

/** Returns how many descriptors a process has open; undefined if there is no `/proc`. */
export function openDescriptors(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}

/** Returns `{pid, parent, command}` of each process whose command line contains `text`; empty without `/proc`. */
export function processesWith(text) {
  const found = [];
  for (const pid of listing("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      if (!command.includes(text)) continue;
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const [, parent] = /^PPid:\s+(\d+)/m.exec(status) ?? [];
      if (!/^State:\s+Z/m.test(status))
        found.push({ pid: Number(pid), parent: Number(parent), command });
    } catch {
      // The process has ended in the meantime.
    }
  }
  return found;
}

function listing(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
