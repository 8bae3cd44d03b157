// Starts a checker as a separate process, and connects a client to it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.mjs";
import { httpClient, stdioClient } from "./clients.mjs";
import { reasonIn } from "./reason.mjs";

/** Maximum time for the start of a checker, in milliseconds. */
const START = 240_000;

/** Starts a process in a separate folder, which `stop` removes. */
function started(command, args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), "checker-"));
  const base = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", NO_COLOR: "1" };
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...base, ...(typeof env === "function" ? env(folder) : env) },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  child.errors = "";
  child.stderr.on("data", (chunk) => {
    child.errors = (child.errors + chunk).slice(-4_000);
  });
  child.on("error", (error) => {
    child.errors += error.message;
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  const stop = async () => {
    const signal = (name) => {
      try {
        process.kill(-child.pid, name);
      } catch {}
    };
    if (child.exitCode === null && child.signalCode === null) {
      child.stdin.end();
      signal("SIGTERM");
      const late = setTimeout(() => signal("SIGKILL"), 1_500);
      await closed;
      clearTimeout(late);
    }
    signal("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  return { child, folder, stop, errors: () => child.errors };
}

/** Returns a checker that a client starts. */
export const overStdio = (command) => async (server, options) => {
  const { words, env } = command(server, options);
  const run = started(words[0], words.slice(1), env);
  return {
    ...run,
    newClient: () => stdioClient(run.child),
    isOnce: true,
  };
};

/** Returns a checker that listens on a port. */
export const overHttp = (command) => async (server, options) => {
  const port = await freePort();
  const { words, env, path = "/mcp", headers = {}, ready } = await command(server, port, options);
  const run = started(words[0], words.slice(1), env);
  run.child.stdout.resume();
  const address = `http://127.0.0.1:${port}`;
  const clientHeaders = { ...headers };
  try {
    await listening(run, port);
    if (ready !== undefined) Object.assign(clientHeaders, await ready(address, server));
  } catch (error) {
    const { errors } = run.child;
    await run.stop();
    throw new Error([error.message, reasonIn(errors)].filter(Boolean).join("; "));
  }
  return {
    ...run,
    newClient: (revision) => httpClient(address + path, { revision, headers: clientHeaders }),
    isOnce: false,
  };
};

async function listening({ child }, port) {
  const end = Date.now() + START;
  for (;;) {
    if (child.exitCode !== null) throw new Error("ended at its start");
    try {
      await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(30_000) }).then(
        (one) => one.body?.cancel(),
      );
      return;
    } catch (error) {
      if (Date.now() > end)
        throw new Error(`does not listen after ${START / 1000} s: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
