import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const TOUCHSTONE = fileURLToPath(
  new URL("../../../packages/cli/bin/touchstone.js", import.meta.url),
);

function scratchDir() {
  const dir = mkdtempSync(join(tmpdir(), "touchstone-conformance-"));
  process.once("exit", () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Returns how to start the gateway, with its own records. */
export function gatewayCommand(args) {
  return {
    command: process.execPath,
    args: [TOUCHSTONE, ...args],
    env: { ...process.env, TOUCHSTONE_DATA_DIR: scratchDir() },
  };
}

/** Ends a process that this one started. */
export async function stopProcess(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

/**
 * Resolves with the first match in the lines of a process's stream.
 * @throws Error with its output, if it ends before
 */
export function lineOf(child, stream, wanted) {
  return new Promise((resolve, reject) => {
    const said = [];
    const lines = createInterface({ input: stream });
    lines.on("line", (line) => {
      said.push(line);
      const found = wanted.exec(line);
      if (found) resolve(found);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`exit ${code}:\n${said.join("\n")}`)));
  });
}

/**
 * Starts `touchstone serve` on a free port.
 * @param servers the `mcpServers` of its configuration
 */
export async function startGateway(servers, mode) {
  const config = join(scratchDir(), "touchstone.json");
  writeFileSync(
    config,
    JSON.stringify({ listen: { address: "127.0.0.1:0" }, mcpServers: servers }),
  );
  const { command, args, env } = gatewayCommand(["serve", "--mode", mode, "--config", config]);
  const child = spawn(command, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const [, address] = await lineOf(child, child.stderr, /ready listen=(\S+)/);
  const urls = Object.fromEntries(
    Object.keys(servers).map((name) => [name, `http://${address}/mcp/${name}`]),
  );
  return { urls, stop: () => stopProcess(child) };
}
