import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { FAULTY_SERVER, TOUCHSTONE, tempDir } from "./testing/touchstone.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  },
};

/** The addresses of all modules that the command loads while a client begins and leaves. */
function loadedBy(args: (dataDir: string) => readonly string[]): readonly string[] {
  const dir = tempDir();
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
  const node = ["--import", pathToFileURL(join(dir, "register.mjs")).href];
  execFileSync(process.execPath, [...node, TOUCHSTONE, ...args(dir)], {
    input: `${JSON.stringify(INITIALIZE)}\n`,
    stdio: ["pipe", "pipe", "ignore"],
  });
  return readFileSync(list, "utf8").trim().split("\n");
}

it("wrap loads nothing that only other commands or options need", () => {
  const server = ["--", process.execPath, FAULTY_SERVER];
  const loaded = loadedBy((dataDir) => ["wrap", "--data-dir", dataDir, ...server]);
  expect(loaded.some((url) => url.includes("/gateway/dist/wrap.js"))).toBe(true);
  const others =
    /\/packages\/(capability|http|console|runner)\/|\/protocol\/dist\/lint\/|\/node_modules\/(zod|pg|undici|@opentelemetry)\//;
  expect(loaded.filter((url) => others.test(url))).toEqual([]);
});
