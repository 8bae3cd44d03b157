// `npm start`: the gateway in front of two published servers and the faulty one, and how to use it.
import "./help.mjs";

import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const root = path("");
const touchstone = path("packages/cli/bin/touchstone.js");
const everything = path("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
// Where other commands look as well, so that they see what happens here.
const dataDir = process.env.TOUCHSTONE_DATA_DIR
  ? ["--data-dir", resolve(process.env.TOUCHSTONE_DATA_DIR)]
  : [];

/** What can be pasted into a client's configuration: one entry over HTTP, one over stdio. */
function clientConfig(urls) {
  const overHttp = Object.entries(urls).map(([name, url]) => [name, { type: "http", url }]);
  const overStdio = {
    command: process.execPath,
    args: [touchstone, "wrap", ...dataDir, "--", process.execPath, everything],
  };
  const mcpServers = { ...Object.fromEntries(overHttp), "everything-stdio": overStdio };
  return JSON.stringify({ mcpServers }, undefined, 2);
}

function introduce(urls, records) {
  const width = Math.max(...Object.keys(urls).map((name) => name.length));
  const lines = Object.entries(urls).map(([name, url]) => `  ${name.padEnd(width)}  ${url}`);
  console.log(`
Touchstone is in front of these MCP servers (Streamable HTTP):

${lines.join("\n")}

For a client's configuration (the last entry runs over stdio and needs no gateway):

${clientConfig(urls)}

The console, where what happens is seen: ${new URL("/", Object.values(urls)[0])}

Every call is recorded in ${records}. In another terminal, here:

  npx touchstone activity list

Stop with Ctrl+C.
`);
}

const options = ["--config", "examples/touchstone.json", ...dataDir];
const gateway = spawn(
  process.execPath,
  [touchstone, "serve", ...options, ...process.argv.slice(2)],
  { cwd: root, stdio: ["ignore", "inherit", "pipe"] },
);
// The gateway goes on where nobody reads what is told.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => gateway.kill(signal));
gateway.on("close", (code, signal) => {
  process.exitCode = code ?? (signal ? 1 : 0);
});

const urls = {};
for await (const line of createInterface({ input: gateway.stderr })) {
  console.error(line);
  const [, name, url] = /^touchstone info: (\S+): (http\S+)$/.exec(line) ?? [];
  if (name) urls[name] = url;
  if (!line.startsWith("touchstone info: ready")) continue;
  introduce(urls, / records=(\S+)/.exec(line)?.[1] ?? "~/.touchstone");
}
