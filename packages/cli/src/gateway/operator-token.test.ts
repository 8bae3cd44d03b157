import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, tempDir, touchstone } from "../testing/touchstone.ts";

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };
const API_KEY = "a-key-of-many-agents";

function configuration(more: object): string {
  const file = join(tempDir(), "touchstone.json");
  const content = { listen: { address: "127.0.0.1:0" }, mcpServers: { faulty: FAULTY }, ...more };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** Simulates that the command was typed, and not run by npm. */
const env = { npm_command: "" };
const tokenIn = (dataDir: string): string => join(dataDir, "operator-token");

/** Returns every file of a directory, with its bytes. */
function filesIn(folder: string): readonly (readonly [path: string, bytes: Buffer])[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path)]);
}

const FORMATS = ["text", "json"] as const;
const KEYS = [undefined, { api_key: API_KEY }] as const;

eachOf(
  FORMATS.flatMap((format) => KEYS.map((auth) => [format, auth] as const)),
  1,
)("the token is in no stream and no record: log format %s, keys %o", async (format, auth) => {
  const dataDir = tempDir();
  const file = configuration({ ...(auth && { auth }), telemetry: { metrics: true } });
  const args = ["serve", "--config", file, "--log-level", "debug", "--log-format", format];
  const { seen, stdout, stderr, child, ended } = touchstone(args, { dataDir, env });
  const ready = format === "text" ? /ready.*listen=(\S+)/ : /"ready".*"listen":"([^"]+)"/;
  const [, listen = ""] = await seen("stderr", ready);
  expect(stderr()).toContain("Open the console with: touchstone ui");
  const token = readFileSync(tokenIn(dataDir), "utf8").trim();
  expect(token).toMatch(/^[\w-]{43}$/);
  if (process.platform !== "win32") expect(statSync(tokenIn(dataDir)).mode & 0o777).toBe(0o600);

  const ask = (path: string, key: string, init: RequestInit = {}) =>
    fetch(`http://${listen}${path}`, {
      ...init,
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    });
  const change = (key: string) =>
    ask("/api/v1/modes", key, { method: "PATCH", body: '{"input":"strict"}' });
  expect((await change(`${token}x`)).status).toBe(401);
  expect((await change(token)).status).toBe(200);
  await seen("stderr", /the configuration has changed: .*operator token, role admin/);
  for (const path of ["/api/v1/settings", "/api/v1/activity", "/metrics", "/tools", "/readyz"]) {
    expect(await (await ask(path, token)).text()).not.toContain(token);
  }
  expect(readFileSync(file, "utf8")).not.toContain(token);

  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(stdout() + stderr()).not.toContain(token);
  expect(existsSync(tokenIn(dataDir))).toBe(false);
  for (const [path, bytes] of filesIn(dataDir)) {
    expect([path, bytes.includes(token)]).toEqual([path, false]);
  }
});

it("there is no token with an admin key", async () => {
  const dataDir = tempDir();
  const auth = { admin_key: "the-key-of-the-operator" };
  const { seen } = touchstone(["serve", "--config", configuration({ auth })], { dataDir });
  await seen("stderr", /ready/);
  expect(existsSync(tokenIn(dataDir))).toBe(false);
});

it("a copy of the token is of no use once an admin key is set", long, async () => {
  const dataDir = tempDir();
  const file = configuration({ auth: { api_key: API_KEY } });
  const { seen } = touchstone(["serve", "--config", file], { dataDir });
  const [, listen = ""] = await seen("stderr", /ready.*listen=(\S+)/);
  const copy = readFileSync(tokenIn(dataDir), "utf8").trim();
  const status = async (key: string): Promise<number> =>
    (await fetch(`http://${listen}/api/v1/settings`, { headers: { "x-api-key": key } })).status;
  expect(await status(copy)).toBe(200);
  const auth = { api_key: API_KEY, admin_key: "the-key-of-the-operator" };
  writeFileSync(file, readFileSync(configuration({ auth })));
  await seen("stderr", /the configuration has changed/);
  expect([await status(copy), await status(auth.admin_key)]).toEqual([401, 200]);
  expect(existsSync(tokenIn(dataDir))).toBe(false);
});

it("each start makes a new token, also after a crash that left the old one", long, async () => {
  const dataDir = tempDir();
  const tokens: string[] = [];
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    const { seen, child, ended } = touchstone(["serve", "--config", configuration({})], {
      dataDir,
    });
    await seen("stderr", /ready/);
    tokens.push(readFileSync(tokenIn(dataDir), "utf8"));
    child.kill(signal);
    await ended;
    expect(existsSync(tokenIn(dataDir))).toBe(signal === "SIGKILL");
  }
  expect(tokens[0]).not.toBe(tokens[1]);
});

it("a token that others could read is replaced by one that they cannot", long, async () => {
  const dataDir = tempDir();
  writeFileSync(tokenIn(dataDir), "old\n", { mode: 0o644 });
  const args = ["serve", "--config", configuration({})];
  const { seen } = touchstone(args, { dataDir, env });
  await seen("stderr", /ready/);
  expect(readFileSync(tokenIn(dataDir), "utf8")).not.toContain("old");
  if (process.platform !== "win32") expect(statSync(tokenIn(dataDir)).mode & 0o777).toBe(0o600);
});
