import { describe, expect, it, onTestFinished, vi } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { useDatabases } from "../../../records/src/testing/databases.ts";
import { createLogger } from "../../../util/src/log.ts";
import { parseConfig } from "../config/load.ts";
import { startAdminGateway } from "../server/admin/testing/admin-gateway.ts";
import type { Fleet } from "./gateways.ts";
import { Membership } from "./membership.ts";
import { readGateways } from "./read-gateways.ts";
import { query, records, startGateway } from "./testing/gateways.ts";

const database = useDatabases();
const SERVERS = { mcpServers: { web: { url: "http://127.0.0.1:1/mcp" } } };

describe("gateways that share a store", () => {
  it("see each other, and which has another configuration", async ({ skip }) => {
    const store = await database(skip);
    expect(await readGateways(store)).toEqual([]);
    const config = { ...SERVERS, activity: { store } };
    const one = await startGateway(config);
    await startGateway(config);
    const other = await startGateway({ ...config, input_validation: { mode: "strict" } });
    const known = async (): Promise<Fleet & { shared: boolean }> => {
      const base = `http://127.0.0.1:${one.gateway.port}/api/v1`;
      const answer = await fetch(`${base}/gateways`);
      expect(answer.status).toBe(200);
      return answer.json();
    };
    const fleet = await known();
    expect(fleet).toMatchObject({ shared: true, majority: fleet.configuration });
    expect(fleet.gateways).toHaveLength(3);
    const differing = () => fleet.gateways.filter(({ differs }) => differs);
    expect(differing()).toMatchObject([
      { listen: `127.0.0.1:${other.gateway.port}`, state: "running" },
    ]);
    const starts = await records(store, "system_start");
    expect(starts.map(({ reason }) => reason).sort()).toEqual(
      fleet.gateways.map(({ configuration }) => `serve; configuration ${configuration}`).sort(),
    );
    // A gateway whose configuration changes reports that, and leaves a record of its new configuration.
    const text = JSON.stringify({ ...config, listen: { address: "127.0.0.1:0" } });
    await other.gateway.reload(parseConfig(text, { file: "touchstone.json", env: {} }));
    await expect
      .poll(async () => (await known()).gateways.some(({ differs }) => differs))
      .toBe(false);
    const [change] = await records(store, "config_change");
    expect(change?.reason).toMatch(new RegExp(`; configuration ${fleet.configuration}$`));
    await other.gateway.close();
    expect((await known()).gateways).toHaveLength(2);
  }, 60_000);

  it("refuse changes of modes and undo over HTTP while there are several", {
    ...long,
    timeout: 60_000,
  }, async ({ skip }) => {
    const store = await database(skip);
    const admin_key = "admin-key-of-this-test";
    const config = { ...SERVERS, activity: { store }, auth: { admin_key } };
    const one = await startAdminGateway(JSON.stringify(config));
    onTestFinished(() => one.close());
    const headers = { "x-api-key": admin_key, "content-type": "application/json" };
    const post = (path: string, body: object) =>
      one.get(path, { method: "POST", headers, body: JSON.stringify(body) });
    const edit = async (days: number) => {
      const action = { kind: "settings", set: { "activity.retention_days": days } };
      const { hash } = (await post("config/proposals", { action })).body as { hash: string };
      return post("config/edits", { action, hash });
    };
    expect(await one.patch("modes", { input: "strict" }, headers)).toMatchObject({ status: 200 });
    const edited = await edit(7);
    expect(edited.status).toBe(200);
    const undo = `config/edits/${(edited.body as { id: string }).id}/undo`;
    const other = await startGateway(config);
    // A report that a busy store did not accept in time is repeated with the next heartbeat.
    const members = async () => (await readGateways(store)).length;
    await expect.poll(members, { timeout: 40_000 }).toBe(2);
    const before = one.text();
    const refused = {
      status: 409,
      body: { code: "NOT_EDITABLE", error: expect.stringContaining("Several gateways share") },
    };
    expect(await one.patch("modes", { input: "warn" }, headers)).toMatchObject(refused);
    expect(await post(undo, {})).toMatchObject(refused);
    expect(await edit(8)).toMatchObject(refused);
    expect(one.text()).toBe(before);
    await other.gateway.close();
    expect(await members()).toBe(1);
    expect(await post(undo, {})).toMatchObject({ status: 200 });
  });

  it("are listed as silent a minute after they were killed", async ({ skip }) => {
    const store = await database(skip);
    const touchstone = await startGateway({ ...SERVERS, activity: { store } });
    const states = async () => (await readGateways(store)).map(({ state }) => state);
    expect(await states()).toEqual(["running"]);
    await query(store, "UPDATE gateways SET seen = seen - interval '61 seconds'");
    expect(await states()).toEqual(["silent"]);
    await query(store, "UPDATE gateways SET seen = seen - interval '1 day'");
    expect(await states()).toEqual([]);
    await touchstone.close();
  }, 60_000);

  it("log once that their clock differs, and report every change", async ({ skip }) => {
    const store = await database(skip);
    await startGateway({ ...SERVERS, activity: { store } });
    const lines: string[] = [];
    let offset = 3_600_000;
    let configuration = "sha256:x";
    const membership = new Membership({
      store,
      self: () => ({ version: "1", configuration, listen: "127.0.0.1:1" }),
      listChanged: () => {},
      log: createLogger((line) => lines.push(line), "warn"),
      now: () => Date.now() + offset,
    });
    await membership.join();
    await membership.tell();
    expect(lines).toEqual([
      expect.stringMatching(/clock is 3[56]\d\d s ahead of that of the activity store/),
    ]);
    offset = 0;
    await membership.tell();
    offset = -86_400_000;
    await membership.tell();
    expect(lines.slice(1)).toEqual([expect.stringMatching(/clock is 86[34]\d\d s behind that of/)]);
    // A change during a report is reported right after it.
    const before = membership.tell();
    configuration = "sha256:y";
    await Promise.all([before, membership.tell()]);
    const mine = (await readGateways(store)).find(({ id }) => id === membership.id);
    expect(mine).toMatchObject({ configuration });
    await membership.leave();
  }, 60_000);

  it("register again after the store was unreachable", async ({ skip }) => {
    const store = await database(skip);
    const lines: string[] = [];
    const changed: unknown[] = [];
    // Makes the tables.
    await startGateway({ ...SERVERS, activity: { store } });
    const self = { version: "1", configuration: "sha256:x", listen: "127.0.0.1:1" };
    const membership = new Membership({
      store,
      self: () => self,
      listChanged: (scope) => changed.push(scope),
      log: createLogger((line) => lines.push(line), "debug"),
      heartbeatMs: 20,
    });
    await membership.join();
    const mine = async () => (await readGateways(store)).find(({ id }) => id === membership.id);
    expect(await mine()).toMatchObject(self);
    await query(store, "ALTER TABLE gateways RENAME TO gone");
    await expect
      .poll(() => lines.filter((line) => line.includes("cannot see this one")))
      .toHaveLength(1);
    await query(store, "ALTER TABLE gone RENAME TO gateways; DELETE FROM gateways");
    await expect.poll(() => lines.some((line) => line.includes("see this one again"))).toBe(true);
    expect(await mine()).toMatchObject(self);
    // Notices from that time are lost, so any list may have changed.
    expect(changed).toContain(undefined);
    const before = changed.length;
    await query(
      store,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND datname = current_database()
         AND query LIKE 'INSERT INTO gateways%'`,
    );
    await expect.poll(() => changed.length).toBeGreaterThan(before);
    await membership.leave();
    expect(await mine()).toBeUndefined();
    expect(lines.join("")).not.toContain("secret-password");
  }, 60_000);

  it("unregister a gateway that leaves while it is still joining", async ({ skip }) => {
    const store = await database(skip);
    // Makes the tables.
    const { gateway } = await startGateway({ ...SERVERS, activity: { store } });
    const before = await readGateways(store);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const joining = (told: () => void) =>
      new Membership({
        store,
        self: () => {
          told();
          return { version: "1", configuration: "sha256:x", listen: "127.0.0.1:1" };
        },
        listChanged: () => {},
        log: createLogger(() => {}, "error"),
      });
    const early = joining(() => {});
    await Promise.all([early.join(), early.leave()]);
    await new Promise<void>((resolve) => {
      const late = joining(() => resolve(late.leave()));
      void late.join();
    });
    expect(vi.getTimerCount()).toBe(0);
    expect((await readGateways(store)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    vi.useRealTimers();
    await gateway.close();
  }, 60_000);
});

it("a gateway with its own store sees no others", async () => {
  const touchstone = await startGateway(SERVERS);
  const answer = await fetch(`http://127.0.0.1:${touchstone.gateway.port}/api/v1/gateways`);
  expect(await answer.json()).toEqual({ shared: false, gateways: [] });
});
