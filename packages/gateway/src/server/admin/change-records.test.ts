import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openActivityStore } from "../../../../records/src/open-sqlite.ts";
import { parseConfig } from "../../config/load.ts";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { type AdminGateway, startAdminGateway } from "./testing/admin-gateway.ts";

const ADMIN_KEY = "admin-key-of-this-test";
const ADA_KEY = "key-of-ada-for-this-test";
const SECRET = "s3cret-in-a-variable";
const CONFIG = {
  mcpServers: {
    faulty: { command: process.execPath, args: [FAULTY_SERVER], env: { TOKEN: SECRET } },
  },
  auth: { admin_key: ADMIN_KEY, keys: [{ name: "ada", role: "admin", key: ADA_KEY }] },
};
const PIN = { kind: "tool", name: "find", hash: "sha256:1", text: "{}" } as const;

let touchstone: AdminGateway;
beforeAll(async () => {
  touchstone = await startAdminGateway(JSON.stringify(CONFIG));
  const store = await openActivityStore({ dataDir: touchstone.dataDir, sync: "normal" });
  await store.pins.firstUse("crm", "tool", [PIN]);
  await store.pins.saw("crm", [{ ...PIN, hash: "sha256:2" }]);
  await store.close();
});
afterAll(() => touchstone.close());

async function send(method: string, path: string, key: string, body?: object): Promise<unknown> {
  const answer = await touchstone.get(path, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body;
}

async function edit(key: string, set: object, reason?: string): Promise<string> {
  const action = { kind: "settings", set };
  const { hash } = (await send("POST", "config/proposals", key, { action })) as { hash: string };
  const edited = await send("POST", "config/edits", key, { action, hash, reason });
  return (edited as { id: string }).id;
}

/** Returns the record and the log line of the last change. */
async function last(): Promise<readonly [record: object, line: string]> {
  const records = await touchstone.records({ type: "config_change" });
  const lines = touchstone.lines.filter((line) => line.includes(" by="));
  return [records.at(-1) ?? records[0] ?? {}, lines.at(-1) ?? ""];
}

describe("a change by each door has a record and a log line with who, what and why", () => {
  it("modes, by auth.admin_key", async () => {
    await send("PATCH", "modes", ADMIN_KEY, { input: "strict", reason: "ready, see ticket 7" });
    const [record, line] = await last();
    expect(record).toMatchObject({
      ...{ source: "http", actor: "auth.admin_key", role: "admin", address: "127.0.0.1" },
      changes: 'input_validation.mode: "warn" → "strict"',
      given_reason: "ready, see ticket 7",
    });
    expect(record).not.toHaveProperty("caller");
    expect(line).toMatch(
      /the configuration has changed: .*by="auth\.admin_key, role admin, from 127\.0\.0\.1".*why="ready, see ticket 7"/,
    );
  });

  it("an edit, by a key of auth.keys", async () => {
    await edit(ADA_KEY, { "activity.retention_days": 30 }, "less to keep");
    const [record, line] = await last();
    expect(record).toMatchObject({
      ...{ caller: "ada", actor: "auth.keys", role: "admin", address: "127.0.0.1" },
      changes: "activity.retention_days: 90 → 30",
      given_reason: "less to keep",
    });
    expect(line).toMatch(/by="ada, auth\.keys, role admin, from 127\.0\.0\.1"/);
  });

  it("an edit that is taken back, by the token of a link", async () => {
    const token = await touchstone.signedIn();
    const id = await edit(token, { "limits.calls_per_minute": 9 });
    expect((await last())[0]).toMatchObject({ changes: "limits.calls_per_minute: none → 9" });
    await send("POST", `config/edits/${id}/undo`, token);
    const [record] = await last();
    expect(record).toMatchObject({
      ...{ actor: "operator token", role: "admin" },
      reason: expect.stringContaining("undone"),
      changes: "limits.calls_per_minute: 9 → none",
    });
    expect(record).not.toHaveProperty("given_reason");
  });

  it("an edit that is taken back, with the reason for that", async () => {
    const id = await edit(ADA_KEY, { "limits.calls_per_minute": 8 }, "try it");
    await send("POST", `config/edits/${id}/undo`, ADA_KEY, { reason: "too low" });
    const [record, line] = await last();
    expect(record).toMatchObject({
      ...{ caller: "ada", changes: "limits.calls_per_minute: 8 → none", given_reason: "too low" },
    });
    expect(line).toContain('why="too low"');
  });

  it.each([
    ["approve", "held → approved"],
    ["revoke", "approved → revoked"],
  ])("a pin, to %s", async (verb, change) => {
    const pin = { server: "crm", kind: "tool", name: "find", hash: "sha256:2" };
    await send("POST", `pins/${verb}`, ADA_KEY, { ...pin, reason: "looked at it" });
    const [record, line] = await last();
    expect(record).toMatchObject({
      ...{ source: "gateway", caller: "ada", actor: "auth.keys", role: "admin" },
      ...{ server: "crm", tool: "find", schema_hash: "sha256:2", address: "127.0.0.1" },
      changes: `pin of the tool "find": ${change}`,
      given_reason: "looked at it",
    });
    expect(line).toMatch(/crm: the tool "find" is .*by="ada, auth\.keys.*why="looked at it"/);
  });

  it("the file, by its path", async () => {
    const text = JSON.stringify({
      ...CONFIG,
      listen: { address: "127.0.0.1:0" },
      mcpServers: { faulty: { ...CONFIG.mcpServers.faulty, env: { TOKEN: "another-s3cret" } } },
    });
    const config = parseConfig(text, { file: "/etc/touchstone.json", env: {} });
    await touchstone.gateway.reload(config, "/etc/touchstone.json");
    const [record, line] = await last();
    expect(record).toMatchObject({
      ...{ source: "gateway", actor: "file /etc/touchstone.json" },
      changes: expect.stringContaining("mcpServers.faulty.env.TOKEN: (hidden) → (hidden)"),
    });
    for (const absent of ["caller", "role", "address"]) expect(record).not.toHaveProperty(absent);
    expect(line).toContain('by="file /etc/touchstone.json"');
  });

  it("without a secret", async () => {
    const records = JSON.stringify(await touchstone.records({ type: "config_change" }));
    for (const secret of [SECRET, "another-s3cret", ADMIN_KEY, ADA_KEY]) {
      expect(records).not.toContain(secret);
      expect(touchstone.lines.join()).not.toContain(secret);
    }
  });
});
