import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, tempDir, touchstone } from "../testing/touchstone.ts";

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };

it("applies a changed file without a restart, or refuses it as a whole", async () => {
  const file = join(tempDir(), "touchstone.json");
  const write = (content: unknown): void => {
    writeFileSync(`${file}.new`, typeof content === "string" ? content : JSON.stringify(content));
    renameSync(`${file}.new`, file);
  };
  const listen = { address: "127.0.0.1:0" };
  write({ listen, mcpServers: { faulty: FAULTY } });
  const { seen, stderr, child, ended } = touchstone(["serve", "--config", file]);
  await seen("stderr", /ready/);

  write({ listen, mcpServers: { faulty: FAULTY, second: FAULTY } });
  await seen("stderr", /the configuration has changed: second is new/);
  const [, url = ""] = await seen("stderr", /second: (http:\S+)/);

  write('{ "mode": ');
  await seen("stderr", /refused; the old one stays in effect: .*touchstone\.json:1:/);
  write({ listen, mcpServers: { faulty: { command: "" }, second: { url: "x" } } });
  await seen("stderr", /refused; the old one stays in effect: .*mcpServers\/faulty\/command.*\n/);
  await seen("stderr", /\n.*also: .*mcpServers\/second\/url/);
  expect((await fetch(url, { method: "PUT" })).status).toBe(405);

  const telemetry = { metrics: true };
  write({ listen, telemetry, activity: { store: "postgres://u:hunter2@h/d", bodies: true } });
  await seen("stderr", /warn: telemetry\.metrics has changed and takes effect after a restart/);
  await seen("stderr", /warn: activity\.store has changed and takes effect after a restart/);
  await seen(
    "stderr",
    /has changed: faulty is gone; second is gone; records keep arguments and results/,
  );
  await seen(
    "stderr",
    /warn: no server is enabled: add one under "mcpServers" in .*touchstone\.json/,
  );
  expect((await fetch(url, { method: "PUT" })).status).toBe(404);
  expect(stderr()).not.toContain("hunter2");

  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(stderr()).not.toMatch(/\n +at /);
  expect(stderr().split("the console is at http")).toHaveLength(2);
});

it("logs a missing server program at startup, and lists the server as failed", long, async () => {
  const file = join(tempDir(), "touchstone.json");
  const gone = { command: "touchstone-no-such-command" };
  const listen = { address: "127.0.0.1:0" };
  writeFileSync(file, JSON.stringify({ listen, mcpServers: { faulty: FAULTY, gone } }));
  const { seen } = touchstone(["serve", "--config", file]);
  await seen("stderr", /error: gone: cannot start "touchstone-no-such-command": command not found/);
  const [, site = ""] = await seen("stderr", /the console is at (http:\S+)/);
  expect(await (await fetch(`${site}api/v1/servers`)).json()).toMatchObject([
    // The gateway's first check of the server may still be running.
    { name: "faulty", state: expect.stringMatching(/^(?:idle|starting|running)$/) },
    { name: "gone", state: "failed", error: expect.stringContaining("command not found") },
  ]);
});

it("starts without servers, and serves the first one that is added", long, async () => {
  const file = join(tempDir(), "touchstone.json");
  const listen = { address: "127.0.0.1:0" };
  writeFileSync(file, JSON.stringify({ listen, mcpServers: {} }));
  const { seen, child, ended } = touchstone(["serve", "--config", file]);
  const [, site = ""] = await seen("stderr", /the console is at (http:\S+)/);
  await seen(
    "stderr",
    /warn: no server is enabled: add one under "mcpServers" in .*touchstone\.json/,
  );
  await seen("stderr", /ready/);
  for (const [path, body] of [
    ["tools", []],
    ["api/v1/servers", []],
  ] as const) {
    const answer = await fetch(site + path);
    expect([answer.status, await answer.json()]).toMatchObject([200, body]);
  }
  writeFileSync(file, JSON.stringify({ listen, mcpServers: { faulty: FAULTY } }));
  await seen("stderr", /the configuration has changed: faulty is new/);
  // The list of all tools does not wait for servers that are slow to start.
  expect((await fetch(`${site}servers/faulty/tools`)).status).toBe(200);
  const tools = await (await fetch(`${site}tools`)).json();
  expect(tools).toContainEqual(expect.objectContaining({ name: "faulty:get_weather" }));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

it(
  "saves settings to its file for a client that has the token of the data directory",
  long,
  async () => {
    const file = join(tempDir(), "touchstone.json");
    const text = `{
  "listen": { "address": "127.0.0.1:0" }, // any port
  "mcpServers": { "faulty": ${JSON.stringify(FAULTY)} }
}
`;
    writeFileSync(file, text);
    const dataDir = tempDir();
    const { seen, stderr, child, ended } = touchstone(
      ["serve", "--config", file, "--name", "faulty"],
      { dataDir },
    );
    const [, listen = ""] = await seen("stderr", /ready.*listen=(\S+)/);
    const token = readFileSync(join(dataDir, "operator-token"), "utf8").trim();
    const change = (authorization: string) =>
      fetch(`http://${listen}/api/v1/modes`, {
        method: "PATCH",
        headers: { "content-type": "application/json", authorization },
        body: '{"input":"strict"}',
      });
    expect((await change("Bearer guess")).status).toBe(401);
    expect((await change(`Bearer ${token}`)).status).toBe(200);
    await seen(
      "stderr",
      /the configuration has changed: faulty has new settings.*by="operator token, role admin, from 127\.0\.0\.1" changes="input_validation\.mode: \\"warn\\" → \\"strict\\""/,
    );
    const added = '} },\n  "input_validation": { "mode": "strict" }\n}\n';
    expect(readFileSync(file, "utf8")).toBe(text.replace(/\} ?\}\n\}\n$/, added));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(stderr()).not.toContain(token);
  },
);

it("refuses to save settings to a client's file", long, async () => {
  const file = join(tempDir(), "mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { faulty: FAULTY } }));
  const dataDir = tempDir();
  const args = ["serve", "--servers", file, "--listen", "127.0.0.1:0"];
  const { seen } = touchstone(args, { dataDir });
  const [, listen = ""] = await seen("stderr", /ready.*listen=(\S+)/);
  const answer = await fetch(`http://${listen}/api/v1/modes`, { method: "PATCH" });
  expect([answer.status, await answer.json()]).toMatchObject([401, { code: "TOKEN_REQUIRED" }]);
  const settings = await (await fetch(`http://${listen}/api/v1/settings`)).json();
  expect(settings).toMatchObject({ writes: "off", configuration: { editable: false } });
  expect(existsSync(join(dataDir, "operator-token"))).toBe(false);
});

it(
  "serves the supported entries of a client's file, and logs once what is skipped",
  long,
  async () => {
    const file = join(tempDir(), "mcp.json");
    const write = (mcpServers: object): void => {
      writeFileSync(`${file}.new`, JSON.stringify({ mcpServers }));
      renameSync(`${file}.new`, file);
    };
    const old = { type: "sse", url: "https://x.example/sse" };
    write({ old, faulty: FAULTY });
    const { seen, stderr, child, ended } = touchstone([
      "serve",
      "--servers",
      file,
      "--listen",
      "127.0.0.1:0",
    ]);
    await seen("stderr", /warn: old: skipped.*mcp\.json:1:\d+: \/mcpServers\/old\/type: the old/);
    await seen("stderr", /ready/);

    write({ old, faulty: FAULTY, surf: { endpoint: "https://x.example/mcp" } });
    await seen("stderr", /warn: surf: skipped.*did you mean "url"/);
    write({ old, faulty: { command: `\${NOPE}` }, second: FAULTY });
    await seen("stderr", /warn: faulty: skipped.*NOPE is not set/);
    await seen("stderr", /has changed: second is new; faulty is gone/);
    write({ old });
    await seen("stderr", /refused; the old one stays in effect: .*\/mcpServers\/old\/type/);
    write({ faulty: FAULTY, second: FAULTY });
    await seen("stderr", /has changed: faulty is new/);

    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(stderr().split("old: skipped")).toHaveLength(2);
  },
);

it("ends more than ten servers without a warning of Node", async () => {
  const file = join(tempDir(), "touchstone.json");
  // Nothing listens there, so no server has to be started.
  const gone = { url: "http://127.0.0.1:1/mcp" };
  const mcpServers = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`s${at}`, gone]));
  writeFileSync(file, JSON.stringify({ listen: { address: "127.0.0.1:0" }, mcpServers }));
  const { seen, stderr, child, ended } = touchstone(["serve", "--config", file]);
  await seen("stderr", /ready/);
  child.kill("SIGTERM");
  await ended;
  expect(stderr()).not.toContain("MaxListeners");
});
