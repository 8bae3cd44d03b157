import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openActivityReader, parseActivityFilter } from "@touchstone/gateway/activity";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const CLI = at("../../bin/touchstone.js");
const FAULTY_SERVER = at("../../../../examples/faulty-server/server.mjs");
/** A module that prints the process's id on stderr. */
const TELL_PID = "data:text/javascript,process.stderr.write(`pid `+process.pid+`\\n`)";

let folder: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-serve-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FAULTY = { command: process.execPath, args: ["--import", TELL_PID, FAULTY_SERVER] };
const CONFIG = { listen: { address: "127.0.0.1:0" }, mcpServers: { faulty: FAULTY } };

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

interface Serving {
  readonly child: ChildProcess;
  /** Returns the output on stderr so far. */
  said(): string;
  /** Resolves with the first match on stderr. */
  says(wanted: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<number | null>;
}

function serve(args: string[], dataDir = join(folder, "data")): Serving {
  const env = { ...process.env, TOUCHSTONE_DATA_DIR: dataDir };
  const child = spawn(process.execPath, [CLI, "serve", ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let text = "";
  const looks = new Set<() => void>();
  child.stderr?.on("data", (chunk) => {
    text += chunk;
    for (const look of [...looks]) look();
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  const says = (wanted: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = wanted.exec(text);
        if (match) resolve(match);
      };
      looks.add(look);
      look();
      void ended.then(() => reject(new Error(`serve ended without ${wanted}: ${text}`)));
    });
  return { child, said: () => text, says, ended };
}

async function fails(
  args: string[],
  dataDir?: string,
): Promise<{ code: number | null; text: string }> {
  const { ended, said } = serve(args, dataDir);
  const code = await ended;
  return { code, text: said() };
}

describe("touchstone serve", () => {
  it("exits with 0 on SIGTERM, after stopping every server and writing every record", async () => {
    const { child, says, ended } = serve(["--config", file("ok.json", CONFIG), "--mode", "strict"]);
    const [, url = ""] = await says(/faulty: (http:\S+)/);
    await says(/ready listen=127\.0\.0\.1:\d+ records=\//);
    await says(/\n✓ {2}faulty +\d{4}-\d\d-\d\d +auto +9 +0 +1 +strict +http:\S+\/mcp\/faulty\n/);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    expect(await answer.json()).toMatchObject({
      id: 1,
      result: { serverInfo: { name: "faulty-server" } },
    });
    const [, pid] = await says(/\[faulty\] pid (\d+)/);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
    const reader = await openActivityReader({ dataDir: join(folder, "data") });
    const page = await reader?.list(parseActivityFilter({}, new Date()));
    await reader?.close();
    expect(page?.activities.map(({ type }) => type)).toEqual(["system_stop", "system_start"]);
  });

  it("serves only the named server of a client's file", async () => {
    const servers = file("mcp.json", { mcpServers: { one: FAULTY, two: FAULTY } });
    const { child, said, says, ended } = serve([
      "--servers",
      servers,
      "--name",
      "two",
      "--listen",
      "127.0.0.1:0",
    ]);
    await says(/ready/);
    expect(said()).toMatch(/two: http/);
    const [, page = ""] = await says(/the console is at (\S+)\n/);
    expect(await (await fetch(page)).text()).toContain("<html");
    expect(said()).not.toMatch(/one: http/);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  });
});

describe("touchstone serve refuses", () => {
  const unknown = '{\n  "mcpServers": {},\n  "modes": "strict"\n}';
  const mode = '{ "input_validation": { "mode": "Strict" }, "mcpServers": {} }';
  const table: [string, () => string[], number, RegExp][] = [
    ["an absent file", () => ["--config", join(folder, "none.json")], 2, /none\.json/],
    ["an unknown key", () => ["--config", file("key.json", unknown)], 2, /key\.json:3:3: .*modes/],
    [
      "an unknown mode",
      () => ["--config", file("mode.json", mode)],
      2,
      /mode\.json:1:33: .*"?off"?.*warn.*strict/,
    ],
    [
      "an unknown name",
      () => ["--config", file("a.json", CONFIG), "--name", "b"],
      2,
      /no server named "b"; it has: faulty/,
    ],
    ["an unknown option", () => ["--confg", "x"], 2, /unknown option '--confg'/],
    [
      "the network without a key",
      () => ["--config", file("n.json", CONFIG), "--listen", "0.0.0.0:0"],
      2,
      /needs an API key/,
    ],
  ];
  eachOf(table, 3)("%s", async (_, args, expected, wanted) => {
    const { code, text } = await fails(args());
    expect([code, text]).toEqual([expected, expect.stringMatching(wanted)]);
    expect(text).not.toMatch(/\n +at /);
  });

  it("a port in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const listen = `127.0.0.1:${port}`;
    const { code, text } = await fails(["--config", file("p.json", CONFIG), "--listen", listen]);
    taken.close();
    expect([code, text]).toEqual([
      3,
      expect.stringContaining(`cannot listen on ${listen}: the port is in use`),
    ]);
  });

  it("a data directory that is not writable", async () => {
    const { code, text } = await fails(["--config", file("d.json", CONFIG)], file("occupied", ""));
    expect([code, text]).toEqual([3, expect.stringContaining(join(folder, "occupied"))]);
    expect(text).not.toMatch(/\n +at /);
  });
});
