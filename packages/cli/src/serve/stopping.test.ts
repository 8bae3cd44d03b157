import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openActivityReader } from "@touchstone/gateway/activity";
import { afterEach, beforeEach, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const CLI = at("../../bin/touchstone.js");
const SCRIPTED_SERVER = at("../../../gateway/src/testing/scripted-server.mjs");

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-stopping-"));
});
afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts `serve`; `says` resolves with the first match on its stderr. */
function serve(config: object, command: readonly string[] = [process.execPath]) {
  const file = join(folder, "touchstone.json");
  writeFileSync(file, JSON.stringify({ listen: { address: "127.0.0.1:0" }, ...config }));
  const [program = "", ...args] = [...command, CLI, "serve", "--config", file];
  const started = spawn(program, args, {
    env: { ...process.env, TOUCHSTONE_DATA_DIR: join(folder, "data") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  child = started;
  let text = "";
  const looks = new Set<() => void>();
  started.stderr?.on("data", (chunk) => {
    text += chunk;
    for (const look of [...looks]) look();
  });
  const says = (wanted: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = wanted.exec(text);
        if (match) resolve(match);
      };
      looks.add(look);
      look();
      started.once("close", () => reject(new Error(`ended without ${wanted}: ${text}`)));
    });
  const ended = once(started, "close").then(([code]) => code as number | null);
  return { started, says, ended };
}

async function post(url: string, message: object, headers: object = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

async function initialize(url: string): Promise<Record<string, string>> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  const answer = await post(url, { id: 0, method: "initialize", params });
  await answer.text();
  return { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" };
}

const call = (id: number) => ({
  id,
  method: "tools/call",
  params: { name: "work", arguments: { n: 1 } },
});

/** Returns the file in which the server records what it receives. */
const record = (): string => join(folder, "sent");
const one = (...on: string[]) => ({
  mcpServers: {
    one: {
      command: process.execPath,
      args: [SCRIPTED_SERVER, ...on],
      env: { RECORD_IN: record() },
    },
  },
});

it("waits for pending requests, and stops in order at once on a second signal", async () => {
  const { started, says, ended } = serve(one("--on", "tools/call=silent"));
  const [, url = ""] = await says(/one: (http:\S+)/);
  const headers = await initialize(url);
  const answer = post(url, call(1), headers).then((response) => response.text());
  const settled = answer.catch(() => "");
  const seen = (): string => (existsSync(record()) ? readFileSync(record(), "utf8") : "");
  await expect.poll(seen, { timeout: 10_000 }).toContain("tools/call");
  const ready = new URL("/readyz", url);
  started.kill("SIGTERM");
  await expect.poll(async () => (await fetch(ready)).status, { timeout: 10_000 }).toBe(503);
  // The gateway's own first check of the server may be running, too.
  await says(/stopping: \d+ requests? under way .*finished first.* another signal ends it now/);
  started.kill("SIGINT");
  expect(await ended).toBe(0);
  await settled;
  const reader = await openActivityReader({ dataDir: join(folder, "data") });
  const page = await reader?.list({ limit: 10, offset: 0 });
  await reader?.close();
  expect(page?.activities.map(({ type, status }) => [type, status])).toEqual([
    ["system_stop", null],
    ["tool_call", "error"],
    ["system_start", null],
  ]);
});

it.skipIf(process.platform === "win32")(
  "refuses calls once the disk is full, and logs it",
  long,
  async () => {
    // The limit on a file's size is enforced by the kernel: a write beyond it fails as on a full disk.
    const limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 300; exec "$0" "$@"', process.execPath];
    const { says } = serve(one(), limited);
    const [, url = ""] = await says(/one: (http:\S+)/);
    const headers = await initialize(url);
    let text = "";
    for (let id = 1; id <= 1000 && !text.includes("could not record"); id += 1) {
      text = await (await post(url, call(id), headers)).text();
    }
    expect(text).toContain("touchstone could not record this call, so it was not sent");
    await says(/activity could not be recorded server=one reason=.*activity\.db/);
    expect((await fetch(new URL("/readyz", url))).status).toBe(503);
    expect((await fetch(new URL("/healthz", url))).status).toBe(200);
  },
);
