// Installs the checkers of peers.json, each into a separate folder below the cache. Nothing is installed twice.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { installPublished, reasonOf } from "../published-package.mjs";

const run = promisify(execFile);
/** Maximum time for one installation, in milliseconds. */
const MOST = 400_000;
/** ContextForge 1.1 needs one of these versions. */
const PYTHONS = ["python3.13", "python3.12", "python3"];

export const PEERS = JSON.parse(readFileSync(new URL("peers.json", import.meta.url), "utf8"));

/**
 * Installs a checker unless its folder already contains it.
 * @param python the interpreter for packages of PyPI; by default the newest of 3.12 and 3.13 that is found
 * @returns why it could not be installed; undefined if it is installed
 */
export async function install(cache, peer, python) {
  try {
    const how = { python: () => python ?? newestPython(), ms: MOST };
    await installPublished(join(cache, peer.name), peer, how);
  } catch (error) {
    return `not installed: ${reasonOf(error, MOST)}`;
  }
}

async function newestPython() {
  for (const python of PYTHONS) {
    try {
      await run(python, ["-c", "import venv, ensurepip"]);
      return python;
    } catch {}
  }
  throw new Error("no Python");
}
