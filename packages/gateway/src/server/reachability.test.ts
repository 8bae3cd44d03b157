import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FAULTY_SERVER, SCRIPTED_SERVER } from "../testing/fixtures.ts";
import { startTestGateway } from "../testing/gateway.ts";
import { initialize, startHttpUpstream } from "../testing/http.ts";

const node = (...args: string[]) => ({ command: process.execPath, args });
const CRASHING = "console.error('boom: no key'); setTimeout(() => process.exit(3), 50)";

/** The servers of `GET /api/v1/servers`, by name. */
async function shown(url: string): Promise<Map<string, Record<string, unknown>>> {
  const servers = (await (await fetch(`${url}api/v1/servers`)).json()) as { name: string }[];
  return new Map(servers.map((server) => [server.name, server]));
}

describe("servers contacted at startup", () => {
  it("are reported as working or with what is wrong, everywhere", async () => {
    const refusing = await startHttpUpstream((_, response) => {
      response.writeHead(500).end();
    });
    const touchstone = await startTestGateway({
      input_validation: { mode: "strict" },
      mcpServers: {
        works: node(FAULTY_SERVER),
        crashes: node("-e", CRASHING),
        missing: { command: "no-such-program" },
        refusing: { url: refusing.url },
        toolless: node(SCRIPTED_SERVER, "--on", "tools/list=error:-32601"),
      },
    });
    const { gateway } = touchstone;
    const reached = new Map((await gateway.reach()).map((server) => [server.server, server]));
    const modes = { input: "strict", output: "warn", protocol: "warn" };
    expect(reached.get("works")).toEqual({
      ...{
        server: "works",
        outcome: "reached",
        revision: "2026-07-28",
        bridge: "auto",
        tools: 9,
        unusable: { blocked: 0, unchecked: 1 },
        modes,
      },
      url: touchstone.url("works"),
    });
    const said = "the server exited with code 3; its last words on stderr: boom: no key";
    expect(reached.get("crashes")).toMatchObject({ outcome: "failed", reason: said });
    const spelling = expect.stringContaining("Check the spelling");
    expect(reached.get("missing")).toMatchObject({ outcome: "failed", reason: spelling });
    const status = expect.stringContaining("500");
    expect(reached.get("refusing")).toMatchObject({ outcome: "failed", reason: status });
    expect(reached.get("toolless")).toMatchObject({ outcome: "reached", tools: 0 });

    const states = {
      ...{ works: "idle", crashes: "failed", missing: "failed" },
      ...{ refusing: "failed", toolless: "idle" },
    };
    // The process that was started ends once the server has responded.
    await expect.poll(async () => (await shown(gateway.url)).get("works")?.["children"]).toBe(0);
    await expect
      .poll(async () => (await (await fetch(`${gateway.url}readyz`)).json()).servers)
      .toEqual(states);
    const api = await shown(gateway.url);
    expect(api.get("crashes")).toMatchObject({ state: "failed", error: said });
    expect(api.get("works")).toMatchObject({
      tools: 9,
      schemaFaults: 1,
      sessions: 0,
      unusableTools: { blocked: 0, unchecked: 1 },
    });
    expect(await gateway.reach()).toEqual([]);
    await touchstone.close();
    await refusing.close();
  });

  it("do not delay startup if silent, and are logged later", async () => {
    const touchstone = await startTestGateway({
      mcpServers: {
        works: node(FAULTY_SERVER),
        silent: node("-e", "process.stdin.resume().on('end', () => process.exit(1))"),
      },
    });
    const reached = await touchstone.gateway.reach(1);
    const late = reached.find(({ server }) => server === "silent");
    expect(late).toMatchObject({ outcome: "late" });
    // When the gateway closes, the request for tools ends.
    await touchstone.close();
    expect(await late?.later).toMatchObject({ outcome: "failed" });
    expect(touchstone.lines.join("\n")).not.toContain("under way");
  });

  it("get no session if they are remote, because a server may offer only one", async () => {
    const methods: string[] = [];
    const upstream = await startHttpUpstream((seen, response) => {
      methods.push(JSON.parse(seen.body).method);
      response.writeHead(400, { "content-type": "application/json" });
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}');
    });
    const touchstone = await startTestGateway({ mcpServers: { one: { url: upstream.url } } });
    const [one] = await touchstone.gateway.reach();
    expect(one).toMatchObject({ outcome: "reached" });
    expect(one).not.toHaveProperty("tools");
    expect(one).not.toHaveProperty("revision");
    expect(new Set(methods)).toEqual(new Set(["server/discover"]));
    await touchstone.close();
    await upstream.close();
  });

  it("are contacted after a change only if they are new", async () => {
    const touchstone = await startTestGateway({ mcpServers: { one: node(FAULTY_SERVER) } });
    expect((await touchstone.gateway.reach()).map(({ server }) => server)).toEqual(["one"]);
    const { parseConfig } = await import("../config/load.ts");
    const both = { one: node(FAULTY_SERVER), two: node(FAULTY_SERVER) };
    const text = JSON.stringify({ listen: { address: "127.0.0.1:0" }, mcpServers: both });
    await touchstone.gateway.reload(parseConfig(text, { file: "touchstone.json", env: {} }));
    expect((await touchstone.gateway.reach()).map(({ server }) => server)).toEqual(["two"]);
    await touchstone.close();
  });
});

it.runIf(process.platform !== "win32").each([
  ["speaks 2026-07-28", "answer", 1],
  ["refuses server/discover", "error:-32601", 1],
  ["refuses it as malformed", "error:-32602", 1],
  ["answers it with nothing", 'raw:{"jsonrpc":"2.0","id":$ID,"result":{}}', 1],
  ["ends at it, as servers with old SDKs do", "exit:1", 2],
])("starts a server that %s as few times as it can", async (_, discover, starts) => {
  const started = join(mkdtempSync(join(tmpdir(), "reaching-")), "started");
  const server = [process.execPath, SCRIPTED_SERVER, "--on", `server/discover=${discover}`];
  const script = `echo >> ${started}; exec "$0" "$@"`;
  const touchstone = await startTestGateway({
    limits: { children: 1 },
    mcpServers: { one: { command: "sh", args: ["-c", script, ...server] } },
  });
  onTestFinished(() => touchstone.close());
  expect(await touchstone.gateway.reach()).toMatchObject([{ outcome: "reached", tools: 1 }]);
  expect(readFileSync(started, "utf8")).toHaveLength(starts);
  // A later session of a client gets a new process.
  await expect
    .poll(async () => (await shown(touchstone.gateway.url)).get("one")?.["children"])
    .toBe(0);
  await initialize(touchstone.url("one"));
  expect(readFileSync(started, "utf8")).toHaveLength(starts + 1);
});
