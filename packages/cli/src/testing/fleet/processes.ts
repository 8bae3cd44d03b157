import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const TOUCHSTONE = at("../../../bin/touchstone.js");
const BUILT = at("../../../dist/main.js");
const UPSTREAM = at("upstream.mjs");

/** A process and the URL of its MCP endpoint. */
export interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  /** Ends it with a signal; resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** The files with which the gateways of one fleet are started. */
export interface FleetFiles {
  readonly config: string;
  readonly dataDir: string;
  remove(): void;
}

/** Writes the configuration that all gateways of a fleet share. */
export function fleetFiles(store: string, upstream: string, more: object = {}): FleetFiles {
  const directory = mkdtempSync(join(tmpdir(), "touchstone-fleet-"));
  const config = join(directory, "touchstone.json");
  const content = {
    listen: { address: "127.0.0.1:0" },
    activity: { store },
    mcpServers: { scale: { url: upstream } },
    ...more,
  };
  writeFileSync(config, JSON.stringify(content), { mode: 0o600 });
  return {
    config,
    dataDir: directory,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Starts the MCP server behind them. */
export function startUpstream(delayMs: number): Promise<Served> {
  return started([UPSTREAM, String(delayMs)], "stdout", /^(\d+)$/, (port) => {
    return `http://127.0.0.1:${port}/mcp`;
  });
}

/** Starts the real command; the packages must have been built. */
export function startServe({ config, dataDir }: FleetFiles, mode: string): Promise<Served> {
  if (!existsSync(BUILT)) throw new Error(`${BUILT} is missing: run "npm run build" first`);
  const args = ["serve", "--config", config, "--data-dir", dataDir, "--mode", mode];
  return started([TOUCHSTONE, ...args], "stderr", /scale: (http:\S+)/, (url) => url);
}

async function started(
  args: readonly string[],
  stream: "stdout" | "stderr",
  wanted: RegExp,
  url: (found: string) => string,
): Promise<Served> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  const said: string[] = [];
  const found = new Promise<string>((resolve, reject) => {
    for (const name of ["stdout", "stderr"] as const) {
      createInterface({ input: child[name] }).on("line", (line) => {
        if (said.length < 100) said.push(line);
        const match = name === stream ? wanted.exec(line) : null;
        if (match) resolve(match[1] ?? "");
      });
    }
    void ended.then(() => reject(new Error(`ended before it was ready:\n${said.join("\n")}`)));
  });
  return {
    child,
    url: url(await found),
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
