import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CallDetail } from "../../../../records/src/response-schemas.ts";
import { NOTED_PREFIX } from "../../../../records/src/rollout/words.ts";
import { parseConfig } from "../../config/load.ts";
import { FAULTY_SERVER, TOOLS_SERVER } from "../../testing/fixtures.ts";
import { initialize, post, request } from "../../testing/http.ts";
import { editOf } from "./actions.ts";
import { type AdminGateway, type Answered, startAdminGateway } from "./testing/admin-gateway.ts";

const SECRET = "s3cret-value-of-a-server";
const API_KEY = "sixteen-characters-or-more";
const ADMIN_KEY = "another-key-of-the-operator";
const FAULTY = JSON.stringify({
  command: process.execPath,
  args: [FAULTY_SERVER],
  env: { TOKEN: SECRET, MODE: "a" },
});
const TEXT = `{
  // What is served
  "mcpServers": {
    "faulty": ${FAULTY},
  },
  "output_validation": { "mode": "off" },
}
`;
const withKeys = (more = ""): string =>
  TEXT.replace(
    "{\n",
    `{\n  "auth": { "api_key": "${API_KEY}", "admin_key": "${ADMIN_KEY}" },${more}\n`,
  );

let touchstone: AdminGateway;
afterEach(() => touchstone.close());

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

async function send(path: string, body: unknown, key = touchstone.token): Promise<Answered> {
  return touchstone.get(`config/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === "" ? {} : bearer(key)) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Proposes an action and performs the proposed edit. */
async function edit(action: unknown, key?: string): Promise<Answered> {
  const { body, status } = await send("proposals", { action }, key);
  expect([status, body]).toEqual([200, expect.anything()]);
  return send("edits", { action, hash: (body as { hash: string }).hash }, key);
}

const BAD_CALL = { name: "get_weather", arguments: { city: 7 } };

describe("an edit of the configuration", () => {
  it.each([
    ["the top level", {}, "settings"],
    ["a server", { server: "faulty" }, "servers/faulty"],
  ])("sets and removes the preset of %s", async (_, of, path) => {
    touchstone = await startAdminGateway(TEXT.replace(/ {2}"output_validation.*\n/, ""));
    const before = touchstone.text();
    const set = (preset: string | null) => edit({ kind: "settings", ...of, set: { preset } });
    const shown = async () => (await touchstone.get(path)).body as { readonly preset?: string };
    expect(await shown()).not.toHaveProperty("preset");
    expect(await set("guard")).toMatchObject({ status: 200 });
    expect((await shown()).preset).toBe("guard");
    const { body } = await touchstone.get("servers/faulty");
    expect(body).toMatchObject({
      modes: { input: "strict", output: "strict", protocol: "strict" },
    });
    expect(
      (await edit({ kind: "settings", ...of, set: { preset: "strict" } }).catch((e) => e)).status,
    ).not.toBe(200);
    expect(await set(null)).toMatchObject({ status: 200 });
    expect(await shown()).not.toHaveProperty("preset");
    expect(touchstone.text().replace(/, "touchstone": \{ *\}/, "")).toBe(before);
  });

  it("is previewed, applied at once, recorded, and undone byte for byte", async () => {
    touchstone = await startAdminGateway(TEXT);
    const action = { kind: "strict", server: "faulty", tool: "get_weather" };
    const proposed = await send("proposals", { action });
    expect(proposed.body).toMatchObject({
      file: "touchstone.json",
      writable: true,
      diff: expect.stringContaining('+    "faulty": {"command":'),
    });
    expect(JSON.stringify(proposed.body)).not.toContain(SECRET);
    expect(touchstone.text()).toBe(TEXT);

    const { status, body } = await edit(action);
    expect([status, body]).toMatchObject([200, { changes: ["faulty has new settings"] }]);
    expect(touchstone.text()).toContain(
      '"get_weather": { "input_validation": { "mode": "strict" }',
    );
    const url = touchstone.url("faulty");
    const session = await initialize(url);
    const call = async (id: number) =>
      (await post(url, request(id, "tools/call", BAD_CALL), session)).text;
    expect(await call(1)).toContain('"isError":true');

    const { id } = body as { id: string };
    const undone = await send(`edits/${id}/undo`, undefined);
    expect(undone.status).toBe(200);
    expect(touchstone.text()).toBe(TEXT);
    expect(await call(2)).not.toContain('"isError":true');
    expect((await send(`edits/${id}/undo`, undefined)).status).toBe(404);
    const records = await touchstone.records({ type: "config_change" });
    expect(records.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("(admin API: strict for get_weather of faulty)"),
      expect.stringContaining("(admin API: undone: strict for get_weather of faulty)"),
    ]);
  });

  it("reports the settings that the command line overrides", async () => {
    const overrides = { maxBytes: 100, inputMode: "warn" } as const;
    touchstone = await startAdminGateway(TEXT, { overrides });
    const set = {
      "output_validation.max_bytes": 50,
      "output_validation.max_depth": 7,
      "protocol_validation.max_bytes": 60,
      "input_validation.rules./city": "warning",
      "activity.bodies": true,
    };
    expect(await edit({ kind: "settings", set })).toMatchObject({
      status: 200,
      body: { overridden: ["output_validation.max_bytes"] },
    });
    expect(touchstone.text()).toContain('"max_bytes": 50');
    const { body } = await touchstone.get("settings");
    expect(body).toMatchObject({ validation: { output: { maxBytes: 100, maxDepth: 7 } } });
    // A tool that the file does not have yet, and the same value as that of the command line.
    const strict = { kind: "strict", server: "faulty", tool: "get_weather" };
    expect((await edit(strict)).body).toMatchObject({
      overridden: ["mcpServers.faulty.touchstone.tools.get_weather.input_validation.mode"],
    });
    const same = { kind: "settings", set: { "input_validation.mode": "warn" } };
    const { body: done } = await edit(same);
    expect(done).toMatchObject({ overridden: [] });
    const undone = await send(`edits/${(done as { id: string }).id}/undo`, undefined);
    expect(undone).toMatchObject({ status: 200, body: { overridden: [] } });
  });

  it.each<readonly [object, Record<string, unknown>, readonly string[]]>([
    [{ preset: "lockdown" }, { preset: "observe" }, ["preset"]],
    [{ preset: "lockdown" }, { preset: null }, ["preset"]],
    [{ preset: "guard" }, { preset: "guard" }, []],
    [
      { mode: "warn" },
      { preset: "guard" },
      ["input_validation.mode", "output_validation.mode", "protocol_validation.mode"],
    ],
    [{ inputMode: "warn", pin: "off" }, { preset: "guard" }, ["input_validation.mode", "pin"]],
    // The value in the file wins over the preset, and no option overrides it.
    [{ mode: "warn" }, { preset: "observe", "input_validation.undeclared": "allow" }, []],
  ])("with the options %j, %j is in force except for %j", async (overrides, set, overridden) => {
    const text = TEXT.replace(/ {2}"output_validation.*\n/, "");
    touchstone = await startAdminGateway(text, { overrides });
    expect((await edit({ kind: "settings", set })).body).toMatchObject({ overridden });
  });

  it.each<readonly [object, readonly string[]]>([
    [{ preset: "lockdown" }, ["mcpServers.faulty.touchstone.preset"]],
    [{ preset: "guard" }, []],
    [{ policyMode: "warn" }, []],
    [{ outputMode: "off" }, ["mcpServers.faulty.touchstone.output_validation.mode"]],
  ])("with the options %j, guard of a server is in force except for %j", async (overrides, all) => {
    touchstone = await startAdminGateway(TEXT, { overrides });
    const set = { preset: "guard" };
    const { body } = await edit({ kind: "settings", server: "faulty", set });
    expect(body).toMatchObject({ overridden: all });
  });

  it("is refused with a new diff if the file changed after the preview", async () => {
    touchstone = await startAdminGateway(TEXT);
    const action = { kind: "settings", set: { "activity.bodies": true } };
    const { body } = await send("proposals", { action });
    const other = TEXT.replace('"off"', '"warn"');
    touchstone.write(other);
    const { hash } = body as { hash: string };
    const refused = await send("edits", { action, hash });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "CONFIG_CHANGED", diff: expect.stringContaining('+  "activity":') },
    });
    expect(touchstone.text()).toBe(other);
    const again = (refused.body as { hash: string }).hash;
    expect((await send("edits", { action, hash: again })).status).toBe(200);
  });

  it("is undone without changing what others have written since", async () => {
    touchstone = await startAdminGateway(TEXT);
    const first = (await edit({ kind: "settings", set: { "activity.bodies": true } })).body;
    const second = (await edit({ kind: "settings", set: { "activity.drift": true } })).body;
    const ids = [first, second].map((body) => (body as { id: string }).id);
    expect((await send(`edits/${ids[0]}/undo`, undefined)).status).toBe(200);
    expect(touchstone.text()).toContain('"activity": { "drift": true }');
    touchstone.write(touchstone.text().replace('"drift": true', '"drift": false'));
    const refused = await send(`edits/${ids[1]}/undo`, undefined);
    expect(refused).toMatchObject({ status: 409, body: { code: "CONFIG_CHANGED" } });
    expect(touchstone.text()).toContain('"drift": false');
  });

  it("allows a blocked call with the narrowest rules, only for its tool", async () => {
    touchstone = await startAdminGateway(
      TEXT.replace('"output', '"input_validation": { "mode": "strict" },\n  "output'),
    );
    const url = touchstone.url("faulty");
    const session = await initialize(url);
    const call = async (id: number) =>
      (await post(url, request(id, "tools/call", BAD_CALL), session)).text;
    expect(await call(1)).toContain('"isError":true');
    const records = await touchstone.records({ status: "blocked" });
    const ids = records.map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const done = await edit({ kind: "allow", record: ids[0] });
    expect(done.status).toBe(200);
    expect(touchstone.text()).toContain(
      '"tools": {"get_weather": { "input_validation": { "rules": { "/city": "warning" } } }'.replace(
        '{"get',
        '{ "get',
      ),
    );
    expect(await call(2)).not.toContain('"isError":true');
    // The record of the call leads to the same rules.
    const same = await send("proposals", { action: { kind: "allow", record: ids[1] } });
    expect(same.body).toMatchObject({ diff: "" });
    const none = await send("proposals", {
      action: { kind: "allow", record: "01ARZ3NDEKTSV4RRFFQ69G5FAV" },
    });
    expect(none.status).toBe(404);
    const other = (await touchstone.records({ type: "config_change" }))[0]?.id;
    const refused = await send("proposals", { action: { kind: "allow", record: other } });
    expect(refused).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  });

  it("sets the rules that the rollout suggests, for all tools at once, and nothing else", async () => {
    touchstone = await startAdminGateway(TEXT);
    const url = touchstone.url("faulty");
    const session = await initialize(url);
    const calls = [BAD_CALL, { name: "update_contact", arguments: {} }];
    for (const [id, call] of calls.entries())
      await post(url, request(id, "tools/call", call), session);
    const { body } = await touchstone.get("activity/rollout?suggest=true");
    const { suggestion, would_block } = body as Readonly<Record<string, unknown>>;
    const { mcpServers } = suggestion as { readonly mcpServers: unknown };
    expect([would_block, mcpServers]).toMatchObject([2, { faulty: expect.anything() }]);
    expect((await edit({ kind: "rules", mcpServers })).status).toBe(200);
    expect(
      JSON.parse(
        touchstone
          .text()
          .replace(/\/\/.*\n/, "")
          .replaceAll(/,(\s*\})/g, "$1"),
      ),
    ).toMatchObject({ mcpServers: mcpServers as object });
    expect((await touchstone.get("activity/rollout")).body).toMatchObject({ would_block: 0 });
    const other = { ...Object(mcpServers), other: Object(mcpServers).faulty };
    const wrapped = await send("proposals", { action: { kind: "rules", mcpServers: other } });
    expect(wrapped.body).toMatchObject({
      writable: false,
      reason: expect.stringContaining('"other" is not served here'),
      paste: { text: expect.stringContaining('"other"') },
    });
    const tool = (set: unknown) => ({ faulty: { touchstone: { tools: { echo: set } } } });
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`/${at}`, "warning"]));
    for (const refused of [
      {},
      tool({}),
      tool({ input_validation: { mode: "off" } }),
      tool({ input_validation: { rules: { "/text": "allow" } } }),
      tool({ input_validation: { rules: many } }),
      { faulty: { command: "sh", touchstone: { tools: {} } } },
    ]) {
      const action = { kind: "rules", mcpServers: refused };
      const { status } = await send("proposals", { action });
      expect([refused, status]).toEqual([refused, 400]);
    }
  });

  const undeclared = (path: string) => ({ path, rule: "extra", keyword: "undeclared" });
  it.each([
    ["by their places", [undeclared("/cty")], 0, ["rules./cty"]],
    ["by the setting, if not all places are known", [undeclared("/cty")], 3, ["undeclared"]],
    ["by the setting, if their names are cut", [undeclared("/cty…")], 0, ["undeclared"]],
    [
      "by the setting, beside a class",
      [undeclared("/cty"), { path: "/n", rule: "type", keyword: "type" }],
      3,
      ["rules.type", "undeclared"],
    ],
  ])("allows undeclared arguments %s", async (_, issues, truncated, expected) => {
    const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    const place = { server: "a", tool: "t", direction: "input", type: "policy_decision" };
    const records = [{ ...place, id, decision: "blocked", issues, truncated }];
    const found = async () => ({ records }) as unknown as CallDetail;
    const { changes } = await editOf({ kind: "allow", record: id }, found);
    expect(changes).toEqual(
      expected.map((name) => ({
        path: expect.arrayContaining(["a", "t", "input_validation", ...name.split(".")]),
        value: "warning",
      })),
    );
  });

  it.each([
    ["an undeclared argument", undeclared("/cty"), 0, "rules./cty", "ignore"],
    ["undeclared arguments at unknown places", undeclared("/cty"), 3, "undeclared", "allow"],
    ["a place", { path: "/n", rule: "type", keyword: "type" }, 0, "rules./n", "ignore"],
    ["a class", { path: "/n", rule: "type", keyword: "type" }, 3, "rules.type", "ignore"],
  ])("no longer notes %s that is noted in every mode", async (_, issue, truncated, name, value) => {
    const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    const place = { server: "a", tool: "t", direction: "input", type: "policy_decision" };
    const reason = `${NOTED_PREFIX}it is not valid`;
    const records = [{ ...place, id, decision: "warning", reason, issues: [issue], truncated }];
    const found = async () => ({ records }) as unknown as CallDetail;
    const { changes } = await editOf({ kind: "allow", record: id }, found);
    const path = expect.arrayContaining(["a", "t", "input_validation", ...name.split(".")]);
    expect(changes).toEqual([{ path, value }]);
  });

  it("allows an undeclared argument, so that the next call is not a warning", async () => {
    const inputSchema = { type: "object", properties: { city: { type: "string" } } };
    const tools = JSON.stringify({ tools: [{ name: "get_weather", inputSchema }] });
    const open = JSON.stringify({ command: process.execPath, args: [TOOLS_SERVER, tools] });
    touchstone = await startAdminGateway(TEXT.replace(FAULTY, open));
    const session = await initialize(touchstone.url("faulty"));
    const call = { name: "get_weather", arguments: { city: "Oslo", why: "x" } };
    const send = (id: number) =>
      post(touchstone.url("faulty"), request(id, "tools/call", call), session);
    await send(1);
    const warnings = await touchstone.records({ status: "warning" });
    const [found] = warnings;
    expect(found?.reason).toBe(`${NOTED_PREFIX}/why is not declared`);
    expect((await edit({ kind: "allow", record: found?.id })).status).toBe(200);
    expect(touchstone.text()).toContain('"rules": { "/why": "ignore" }');
    await send(2);
    expect(await touchstone.records({ status: "warning" })).toEqual(warnings);
    expect(await touchstone.records({ status: "success", tool: "get_weather" })).toHaveLength(1);
  });

  it.each([
    [{ "activity.store": "postgres://x/y" }],
    [{ "auth.api_key": "k" }],
    [{ "listen.address": "0.0.0.0:1" }],
    [{ alerts: [] }],
    [{ "http.edit_servers": true }],
    [{ mcpServers: {} }],
    [{ forward_authorization: true }],
  ])("refuses to set %j", async (set) => {
    touchstone = await startAdminGateway(TEXT);
    const { status, body } = await send("proposals", { action: { kind: "settings", set } });
    expect([status, body]).toMatchObject([400, { code: "BAD_REQUEST" }]);
  });

  it("refuses values that the file could not hold, and writes nothing", async () => {
    touchstone = await startAdminGateway(TEXT);
    const action = { kind: "settings", set: { "activity.retention_days": 0 } };
    const { body, status } = await send("proposals", { action });
    expect([status, body]).toMatchObject([
      400,
      { code: "BAD_REQUEST", faults: [expect.anything()] },
    ]);
    expect(touchstone.text()).toBe(TEXT);
  });

  it("changes a server, and keeps members that it does not mention", async () => {
    touchstone = await startAdminGateway(TEXT);
    const entry = { env: { MODE: "b", NEW: "fresh-secret-value" }, cwd: "/" };
    const { status, body } = await edit({ kind: "server", name: "faulty", entry });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(/s3cret|fresh-secret/);
    const { mcpServers } = JSON.parse(
      touchstone
        .text()
        .replace(/\/\/.*\n/, "")
        .replaceAll(/,(\s*\})/g, "$1"),
    );
    expect(mcpServers.faulty).toEqual({
      ...JSON.parse(FAULTY),
      env: { TOKEN: SECRET, MODE: "b", NEW: "fresh-secret-value" },
      cwd: "/",
    });
    const added = { command: "node", args: ["x.mjs", "-v"], env: { A: "b" } };
    expect((await edit({ kind: "server", name: "added", entry: added })).status).toBe(200);
    expect((await touchstone.get("servers/added")).body).toMatchObject({ env: ["A"] });
    expect(touchstone.text()).toContain("// What is served");
  });

  it("returns the lines to paste if the file cannot be written", async () => {
    touchstone = await startAdminGateway(TEXT, { editable: false });
    const action = { kind: "strict", server: "faulty", directions: ["input"] };
    const text = `${JSON.stringify(
      { mcpServers: { faulty: { touchstone: { input_validation: { mode: "strict" } } } } },
      null,
      2,
    )}\n`;
    const paste = { file: "touchstone.json", text };
    const { body, status } = await send("proposals", { action }, await touchstone.signedIn());
    expect([status, body]).toMatchObject([200, { writable: false, file: null, paste }]);
    await touchstone.close();

    touchstone = await startAdminGateway(TEXT);
    const wrapped = await send("proposals", { action: { ...action, server: "of-a-client" } });
    expect(wrapped.body).toMatchObject({
      writable: false,
      reason: expect.stringContaining("wrap"),
    });
    if (process.getuid?.() === 0) return;
    chmodSync(dirname(touchstone.file), 0o500);
    const locked = await send("proposals", { action });
    expect(locked.body).toMatchObject({ writable: false, paste });
    chmodSync(dirname(touchstone.file), 0o700);
  });
});

describe("edit permissions", () => {
  const HARMLESS = { kind: "settings", set: { "activity.drift": true } };
  const SERVER = { kind: "server", name: "x", entry: { command: "node" } };
  const POLICY = { kind: "settings", set: { "activity.drift": true, "policy.mode": "off" } };
  const NAMES = ["nobody", "another", "api key", "admin key", "token"] as const;

  it.each<[string, string, unknown, readonly number[]]>([
    ["proposals", TEXT, HARMLESS, [401, 401, 401, 401, 200]],
    ["edits", TEXT, HARMLESS, [401, 401, 401, 401, 409]],
    ["proposals", TEXT, SERVER, [401, 401, 401, 401, 200]],
    ["proposals", withKeys(), HARMLESS, [401, 401, 403, 200, 200]],
    ["edits", withKeys(), HARMLESS, [401, 401, 403, 409, 409]],
    ["proposals", withKeys(), SERVER, [401, 401, 403, 200, 200]],
    ["proposals", TEXT, POLICY, [401, 401, 401, 401, 200]],
    ["proposals", withKeys(), POLICY, [401, 401, 403, 200, 200]],
    ["edits", withKeys(), POLICY, [401, 401, 403, 409, 409]],
    ["edits", withKeys(), SERVER, [401, 401, 403, 409, 409]],
    [
      "proposals",
      withKeys('\n  "http": { "edit_servers": false },'),
      SERVER,
      [401, 401, 403, 403, 403],
    ],
    [
      "proposals",
      withKeys('\n  "http": { "edit_servers": false },'),
      HARMLESS,
      [401, 401, 403, 200, 200],
    ],
  ])("for %s in %j of %j", async (path, text, action, expected) => {
    touchstone = await startAdminGateway(text);
    // With an admin key, the gateway prints no token, so the token of a link is used.
    const token = touchstone.token || (await touchstone.signedIn());
    const keys = {
      nobody: "",
      another: "another",
      "api key": API_KEY,
      "admin key": ADMIN_KEY,
      token,
    };
    const statuses: number[] = [];
    for (const name of NAMES) {
      statuses.push(
        (await send(path, path === "edits" ? { action, hash: "0" } : { action }, keys[name]))
          .status,
      );
    }
    expect(statuses).toEqual(expected);
  });

  it("lock servers beyond loopback unless the file says otherwise", () => {
    const at = (more: string) =>
      parseConfig(
        `{"listen":{"address":"0.0.0.0:1"},"auth":{"api_key":"key-of-16-letters"},"mcpServers":{}${more}}`,
        { file: "f", env: {} },
      ).http;
    expect(at("")).not.toHaveProperty("editServers");
    expect(at(',"http":{"edit_servers":true}')).toMatchObject({ editServers: true });
  });
});
