// `npm run demo`: an agent calls the faulty server through Touchstone, in warn and in strict mode.
import "./help.mjs";

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const touchstone = path("packages/cli/bin/touchstone.js");
const server = path("examples/faulty-server/server.mjs");

const scratch = mkdtempSync(join(tmpdir(), "touchstone-demo-"));
const dataDir = join(scratch, "records");
const received = join(scratch, "received.jsonl");

/** The calls that an agent tries: [what is wrong with the call, tool, arguments]. */
const CALLS = [
  ["a good call", "get_weather", { city: "Oslo", units: "celsius" }],
  ["wrong arguments", "get_weather", { city: 5, units: "kelvin", town: "Oslo" }],
  ["a result that breaks its schema", "get_weather", { city: "Berlin" }],
  ["a result with a field too many", "update_contact", { id: "7", email: "ada@example.com" }],
];

/** The transport of the current agent. */
let atWork;
/**
 * Set if the demo ends early. `gone` resolves when the gateway, which writes into the folder, has ended.
 */
let early;

function leave(status) {
  if (early) return;
  process.exitCode = status;
  early = { gone: atWork?.close() };
}
function goOn() {
  if (early) throw new Error("the demo ends early");
}

// It is not an error if the reader stops early (`npm run demo | head`).
process.stdout.on("error", ({ code, message }) => {
  if (code !== "EPIPE" && !early) console.error(`the output cannot be written: ${message}`);
  leave(code === "EPIPE" ? 0 : 1);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => leave(128 + constants.signals[signal]));
}

const title = (text) => console.log(`\n──── ${text} ${"─".repeat(Math.max(0, 74 - text.length))}`);
const indent = (text) => text.replace(/^/gm, "    ");

/** Returns how many calls the server itself has received. */
function callsSeen() {
  try {
    return readFileSync(received, "utf8").trim().split("\n").length;
  } catch {
    return 0;
  }
}

async function agent(mode) {
  goOn();
  const options = `--mode ${mode} --name faulty --log-level error`.split(" ");
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [touchstone, "wrap", ...options, "--data-dir", dataDir, "--", process.execPath, server],
    env: { ...process.env, FAULTY_SERVER_LOG: received },
  });
  atWork = transport;
  const client = new Client({ name: "demo-agent", version: "1.0.0" });
  await client.connect(transport);
  for (const [what, name, args] of CALLS) {
    const before = callsSeen();
    const result = await client.callTool({ name, arguments: args });
    const reached = callsSeen() > before ? "reached the server" : "never reached the server";
    console.log(`\n${what}: ${name} ${JSON.stringify(args)}\n  ${reached}; the agent got:`);
    const { isError, content, structuredContent } = result;
    console.log(indent(isError ? content[0].text : JSON.stringify(structuredContent)));
  }
  await client.close();
}

/** Runs `touchstone activity …`: shows its output directly, or returns it. */
function activity(args, stdio) {
  goOn();
  const command = [touchstone, "activity", ...args, "--data-dir", dataDir];
  return spawnSync(process.execPath, command, { encoding: "utf8", stdio }).stdout;
}

try {
  title("warn: everything passes as it is, and is recorded");
  await agent("warn");
  title("strict: bad calls are stopped on either side");
  await agent("strict");
  title("touchstone activity list --type policy_decision");
  activity(["list", "--type", "policy_decision"], "inherit");
  const blocked = ["--type", "policy_decision", "--decision", "blocked", "--direction", "input"];
  const page = JSON.parse(activity(["list", ...blocked, "-n", "1", "-o", "json"], "pipe"));
  const [{ id }] = page.activities;
  title(`touchstone activity show ${id}`);
  activity(["show", id], "inherit");
} catch (error) {
  if (!early) throw error;
} finally {
  await early?.gone;
  rmSync(scratch, { recursive: true, force: true });
}
