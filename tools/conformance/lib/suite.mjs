import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
// The suite needs Node 22; the Node that runs this works as well if it is newer.
const NODE_22 = at("node22/bin/node");
const NODE = existsSync(NODE_22) ? NODE_22 : process.execPath;
const SUITE = at("@modelcontextprotocol/conformance/dist/index.js");
const RESULT_DIR = /^(?:server-|client-)?(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/**
 * Runs the suite and returns the checks of each scenario.
 * @returns {Promise<Map<string, {key: string, status: string, message: string}[]>>} by scenario
 * @throws Error with the suite's output, if it gave no results
 */
async function run(args) {
  const dir = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
  try {
    const child = spawn(NODE, [SUITE, ...args, "-o", dir], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
    const [code] = await once(child, "close");
    const results = readResults(dir);
    if (results.size === 0) throw new Error(`the suite gave no results (exit ${code}):\n${said}`);
    return results;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function readResults(dir) {
  const results = new Map();
  for (const entry of readdirSync(dir)) {
    const file = join(dir, entry, "checks.json");
    const scenario = RESULT_DIR.exec(entry)?.[1];
    if (scenario === undefined || !existsSync(file)) continue;
    const checks = JSON.parse(readFileSync(file, "utf8"));
    results.set(
      scenario,
      checks.map(({ id, name, status, errorMessage = "" }) => ({
        key: `${id} ${name}`,
        status,
        message: errorMessage,
      })),
    );
  }
  return results;
}

/** Runs what a revision requires of a server, and what is reported without a score. */
export function serverRequirements(url, revision) {
  return run(["server", "--url", url, "--requirements", revision]);
}

/** Runs one scenario against a server. */
export function serverScenario(url, revision, scenario) {
  return run(["server", "--url", url, "--scenario", scenario, "--spec-version", revision]);
}

/** Runs one scenario against a client; the suite appends its URL to the command. */
export function clientScenario(command, revision, scenario) {
  return run(["client", "--command", command, "--scenario", scenario, "--spec-version", revision]);
}
