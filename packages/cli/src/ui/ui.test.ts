import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, tempDir, touchstone } from "../testing/touchstone.ts";

const LINK = /(http:\/\/127\.0\.0\.1:\d+\/)#\/activity\?code=(\S+)/;

async function signedIn(link: RegExpExecArray): Promise<string> {
  const [, url = "", code = ""] = link;
  const response = await fetch(`${url}api/v1/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  return ((await response.json()) as { token: string }).token;
}

/** A home directory whose file has two entries, and an API key. */
function home() {
  const folder = join(tempDir(), "touchstone");
  mkdirSync(folder);
  const file = join(folder, "touchstone.json");
  const faulty = { command: process.execPath, args: [FAULTY_SERVER] };
  const mine = { touchstone: { input_validation: { mode: "strict" } } };
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { mine, faulty }, auth: { api_key: "the-key" } }),
  );
  return { file, env: { XDG_CONFIG_HOME: join(folder, "..") } };
}

it("serves the console without servers, and can change the settings", async () => {
  const { file, env } = home();
  const { child, seen, ended, stdout, stderr } = touchstone(["ui"], { env });
  const link = await seen("stdout", LINK);
  const [, url = ""] = link;
  const token = await signedIn(link);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  expect((await fetch(`${url}api/v1/servers`)).status).toBe(401);
  const servers = await (await fetch(`${url}api/v1/servers`, { headers })).json();
  expect(servers).toMatchObject([
    { name: "mine", state: "wrapped", transport: "wrap", modes: { input: "strict" } },
    { name: "faulty", state: "wrapped" },
  ]);
  expect(await (await fetch(`${url}tools`, { headers })).json()).toEqual([]);
  const change = { method: "PATCH", headers, body: '{"input":"warn"}' };
  expect((await fetch(`${url}api/v1/servers/mine/modes`, change)).status).toBe(200);
  expect(readFileSync(file, "utf8")).toContain('"mode":"warn"');
  // A client wraps a server that is not in the file yet, but wrap reads this file.
  const action = { kind: "strict", server: "other", directions: ["input"] };
  const send = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}api/v1/config/${path}`, init);
    return (await response.json()) as Record<string, unknown>;
  };
  const proposed = await send("proposals", { action });
  expect(proposed).toMatchObject({ file: "touchstone.json", writable: true });
  await send("edits", { action, hash: proposed["hash"] });
  expect(JSON.parse(readFileSync(file, "utf8")).mcpServers.other).toEqual({
    touchstone: { input_validation: { mode: "strict" } },
  });
  expect(stdout()).not.toContain("the-key");
  child.kill("SIGINT");
  expect([await ended, stderr()]).toEqual([0, ""]);
});

it(
  "opens the console of a gateway that already uses the same records, and exits",
  long,
  async () => {
    const dataDir = tempDir();
    const { env } = home();
    const serving = touchstone(["serve", "--listen", "127.0.0.1:0"], { dataDir, env });
    const [, url] = await serving.seen("stderr", /console is at (\S+)/);
    await serving.seen("stderr", /ready listen/);
    const ui = touchstone(["ui"], { dataDir, env });
    expect([await ui.ended, ui.stderr()]).toEqual([0, ""]);
    const link = LINK.exec(ui.stdout());
    expect(link?.[1]).toBe(url);
    if (link === null) return;
    const headers = { authorization: `Bearer ${await signedIn(link)}` };
    expect((await fetch(`${url}api/v1/servers`, { headers })).status).toBe(200);
  },
);

it("ignores the working directory's file, and says how to create the user's", long, async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "touchstone.json"), "{ not json");
  const config = tempDir();
  const { child, seen, ended, stdout } = touchstone(["ui"], {
    cwd,
    env: { XDG_CONFIG_HOME: config },
  });
  const link = await seen("stdout", LINK);
  const missing = `There is no ${join(config, "touchstone", "touchstone.json")}`;
  expect(stdout()).toContain(missing);
  expect(stdout()).toMatch(/run .* init --user, then .* ui again/);
  const headers = { authorization: `Bearer ${await signedIn(link)}` };
  const settings = await (await fetch(`${link[1]}api/v1/settings`, { headers })).json();
  expect(settings).toMatchObject({
    configuration: { editable: false, reason: expect.stringContaining("init --user") },
  });
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});
