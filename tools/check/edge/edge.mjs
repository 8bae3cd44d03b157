// Tests the packages in workerd, the runtime of Cloudflare Workers: no code from strings, no file system, and of
// Node.js either nothing or only the names of its modules, depending on the compatibility date that a worker sets.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { rolldown } from "rolldown";

/** Compatibility dates, by what they offer of Node.js. */
const DATES = { "without Node's modules": "2024-01-01", "with the names of Node's": "2026-11-01" };
const LISTENS_MS = 20_000;

const post = (body) => ({ method: "POST", body, headers: { "content-type": "application/json" } });
const wrong = (path, message, keyword) => ({
  valid: false,
  errors: [{ path, message, keyword }],
});
const NO_MATCH = 'must match pattern "^(a|aa)+$"';
/** Requests, and the expected responses. */
const ASKED = [
  ["/tools", {}, [{ name: "add", description: "Adds one." }]],
  ["/tools/add/validate", post('{"a":1,"p":"aaa"}'), { valid: true }],
  ["/tools/add/validate", post('{"a":"1"}'), wrong("/a", "must be integer", "type")],
  [
    "/tools/add/validate",
    post(`{"a":1,"p":"${"a".repeat(64)}b"}`),
    wrong("/p", NO_MATCH, "pattern"),
  ],
  ["/tools/add/call", post('{"a":1}'), { content: [{ type: "text", text: "2" }], isError: false }],
  [
    "/rest",
    {},
    {
      exact: false,
      message: ["/params/name must be a string (got an integer)"],
      good: 2,
      bad: "ToolInputError",
      lint: "error",
      change: "breaking",
      remote: false,
    },
  ],
];

/**
 * Sends requests to a worker that is built from the packages installed in `folder`.
 * @param workerd the program
 * @returns the differences from what is expected
 */
export async function faultsOnEdge(folder, workerd) {
  copyFileSync(new URL("worker.mjs", import.meta.url), join(folder, "worker.mjs"));
  const conditionNames = ["workerd", "import", "default"];
  const bundle = await rolldown({
    cwd: folder,
    input: "worker.mjs",
    platform: "neutral",
    resolve: { conditionNames, mainFields: ["module", "main"] },
  });
  const [{ code }] = (await bundle.generate({ format: "esm", codeSplitting: false })).output;
  writeFileSync(join(folder, "bundle.mjs"), code);
  const faults = [];
  for (const [what, date] of Object.entries(DATES)) {
    const config = join(folder, `edge-${date}.capnp`);
    writeFileSync(config, configOf(date));
    faults.push(...(await ask(workerd, config)).map((fault) => `edge ${what}: ${fault}`));
  }
  return faults;
}

const configOf = (date) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "bundle.mjs", esModule = embed "bundle.mjs")],
    compatibilityDate = "${date}",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

async function ask(workerd, config) {
  const child = spawn(workerd, ["serve", "--control-fd=3", config], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const gone = once(child, "close");
  try {
    const listens = once(createInterface(child.stdio[3]), "line", {
      signal: AbortSignal.timeout(LISTENS_MS),
    });
    const first = await Promise.race([listens, gone.then(() => undefined)]);
    if (first === undefined) return [`it does not start: ${said}`];
    const { port } = JSON.parse(first[0]);
    const faults = [];
    for (const [path, init, expected] of ASKED) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
      const answer = await response.text();
      if (!isDeepStrictEqual(JSON.parse(answer), expected)) faults.push(`${path}: ${answer}`);
    }
    return faults;
  } finally {
    child.kill("SIGKILL");
    await gone;
  }
}
