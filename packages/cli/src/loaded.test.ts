import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { FAULTY_SERVER, TOUCHSTONE, tempDir } from "./testing/touchstone.ts";

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  },
});

/** Returns arguments for Node that make the command list the modules that it loads. */
function listing(dir: string): { readonly node: readonly string[]; loaded(): readonly string[] } {
  const list = join(dir, "loaded.txt");
  writeFileSync(list, "");
  const hooks = `import { appendFileSync } from "node:fs";
    export async function load(url, context, next) {
      appendFileSync(${JSON.stringify(list)}, url + "\\n");
      return next(url, context);
    }`;
  writeFileSync(join(dir, "hooks.mjs"), hooks);
  const register = `import { register } from "node:module";
    register(${JSON.stringify(pathToFileURL(join(dir, "hooks.mjs")).href)});`;
  writeFileSync(join(dir, "register.mjs"), register);
  return {
    node: ["--import", pathToFileURL(join(dir, "register.mjs")).href, TOUCHSTONE],
    loaded: () => readFileSync(list, "utf8").trim().split("\n"),
  };
}

it("wrap --help loads no module that checks or relays", () => {
  const { node, loaded } = listing(tempDir());
  execFileSync(process.execPath, [...node, "wrap", "--help"]);
  expect(loaded().some((url) => url.endsWith("/cli/dist/main.js"))).toBe(true);
  const others = /\/packages\/(core|protocol|capability|http|runner)\/|\/gateway\/dist\/\w+\.js/;
  // The modules for errors, for the characters that a log escapes, and for the distance between two names.
  const expected =
    /\/gateway\/dist\/(?:errors|log)\.js$|\/core\/dist\/(?:plain|chunks\/(?:result|nearest))\.js$/;
  expect(loaded().filter((url) => others.test(url) && !expected.test(url))).toEqual([]);
});

it("wrap loads no module that only other commands or options need", () => {
  const dir = tempDir();
  const { node, loaded } = listing(dir);
  const args = ["wrap", "--data-dir", dir, "--", process.execPath, FAULTY_SERVER];
  execFileSync(process.execPath, [...node, ...args], {
    input: `${INITIALIZE}\n`,
    stdio: ["pipe", "pipe", "ignore"],
  });
  expect(loaded().some((url) => url.includes("/gateway/dist/wrap.js"))).toBe(true);
  const others =
    /\/packages\/(capability|http|console|runner)\/|\/protocol\/dist\/lint\/|\/node_modules\/(yaml|zod|pg|undici|@opentelemetry)\//;
  expect(loaded().filter((url) => others.test(url))).toEqual([]);
});

it("mock loads no module that relays or records", () => {
  const dir = tempDir();
  const { node, loaded } = listing(dir);
  const capture = join(dir, "c.jsonl");
  const about = { server: "s", connection: "c", time: "2026-01-01T00:00:00.000Z" };
  const sent = { ...about, from: "client", to: "server", text: INITIALIZE };
  writeFileSync(capture, `${JSON.stringify(sent)}\n`);
  const out = execFileSync(process.execPath, [...node, "mock", capture], {
    input: `${INITIALIZE}\n`,
    stdio: ["pipe", "pipe", "ignore"],
  });
  expect(out.toString()).toContain('"protocolVersion":"2025-11-25"');
  const others =
    /\/gateway\/dist\/chunks\/(?:child-)?relay\.js|\/records\/dist\/(?:plain|open-sqlite)\.js|\/protocol\/dist\/(?:lint|tool-checks)\/|\/packages\/(?:capability|http|console|runner)\/|\/node_modules\/(?:libsql|yaml|zod|pg|undici|cross-spawn)\//;
  expect(loaded().filter((url) => others.test(url))).toEqual([]);
});

it("serve for a remote server loads no library that its configuration does not need", async () => {
  const dir = tempDir();
  const { node, loaded } = listing(dir);
  const config = join(dir, "touchstone.json");
  writeFileSync(config, '{"mcpServers":{"gone":{"url":"http://127.0.0.1:1/mcp"}}}');
  const args = ["serve", "--config", config, "--data-dir", dir, "--listen", "127.0.0.1:0"];
  const child = spawn(process.execPath, [...node, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let said = "";
  for await (const text of child.stderr.setEncoding("utf8")) {
    said += text;
    if (said.includes(" ready ")) break;
  }
  const url = /gone: (http:\S+)/.exec(said)?.[1] ?? said;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const answer = await fetch(url, { method: "POST", headers, body: INITIALIZE });
  expect(answer.status).toBe(502);
  const others = /\/packages\/(console|runner)\/|\/node_modules\/(zod|pg|@opentelemetry)/;
  expect(loaded().some((url) => url.endsWith("/undici/lib/dispatcher/agent.js"))).toBe(true);
  expect(loaded().filter((url) => others.test(url))).toEqual([]);
});
