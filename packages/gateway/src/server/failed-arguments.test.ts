import { afterEach, expect, it } from "vitest";
import { openActivityReader } from "../../../records/src/open-sqlite.ts";
import { openPlace } from "../../../records/src/place.ts";
import { verifyActivity } from "../../../records/src/verify/verify.ts";
import { parseConfig } from "../config/load.ts";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import { initialize, post, request } from "../testing/http.ts";

const KEY = "key-of-16-letters-1";
const SERVERS = { faulty: { command: process.execPath, args: [FAULTY_SERVER] } };
const CONFIG = {
  mcpServers: SERVERS,
  input_validation: { mode: "strict" },
  http: { allow_execute: true },
};

let gateway: TestGateway;
afterEach(() => gateway.close());

const kept = async (): Promise<(string | undefined)[]> =>
  (await gateway.records({ type: "tool_call" })).map((record) => record.arguments);

async function verified(): Promise<object> {
  const reader = await openActivityReader({ dataDir: gateway.dataDir });
  if (reader === undefined) throw new Error("no records");
  const report = await verifyActivity(reader);
  await reader.close();
  return report;
}

it("records the arguments of failed calls at every interface, redacted", async () => {
  gateway = await startTestGateway({ ...CONFIG, auth: { api_key: KEY } });
  const url = gateway.url("faulty");
  const key = { "x-api-key": KEY };
  const headers = { ...(await initialize(url, undefined, { headers: key })), ...key };
  const call = (id: number, args: object) =>
    post(url, request(id, "tools/call", { name: "get_weather", arguments: args }), headers);
  await call(1, { city: 5, password: "hunter2" });
  await call(2, { city: "Oslo", units: "celsius" });
  // The key of the gateway is a known secret.
  await call(3, { city: 5, note: `with ${KEY}` });
  await call(4, { city: 5, note: "x".repeat(1_000_000) });
  const origin = new URL(url).origin;
  const tool = `${origin}/servers/faulty/tools/get_weather`;
  const send = (path: string, body: string) =>
    fetch(tool + path, {
      method: "POST",
      body,
      headers: { ...key, "content-type": "application/json" },
    });
  expect(await (await send("/call", '{"city":6,"token":"hunter2"}')).text()).toContain("/city");
  expect((await send("/call", '{"city":6,')).ok).toBe(false);
  expect((await send("/validate", '{"city":7}')).status).toBe(200);
  expect(await kept()).toEqual([
    '{"city":5,"password":"[redacted]"}',
    undefined,
    '{"city":5,"note":"with [redacted]"}',
    '{"city":5,"note":…',
    '{"city":6,"token":"[redacted]"}',
  ]);
  const records = await gateway.records();
  expect(JSON.stringify(records)).not.toMatch(/hunter2|key-of-16/);
  expect(records.filter(({ result, patch }) => result ?? patch)).toEqual([]);
  expect(await verified()).toMatchObject({ ok: true, faults: [] });
});

it("erases and exports them as any arguments, and the chain stays whole", async () => {
  gateway = await startTestGateway(CONFIG);
  const url = gateway.url("faulty");
  const headers = await initialize(url);
  const args = { city: 5, dish: "zwiebelkuchen" };
  await post(url, request(1, "tools/call", { name: "get_weather", arguments: args }), headers);
  const exported = async (): Promise<string> => {
    const response = await fetch(new URL("/api/v1/activity/export?format=jsonl", url));
    return response.text();
  };
  expect(await exported()).toContain("zwiebelkuchen");
  const [record] = await gateway.records({ type: "tool_call" });
  const eraser = await openPlace({ dataDir: gateway.dataDir }).eraser();
  const erasure = await eraser.erase({
    subject: { session: record?.session ?? "" },
    dryRun: false,
    author: { actor: "auth.keys", caller: "admin", reason: "request 17" },
    source: "cli",
  });
  await eraser.close();
  expect(erasure).toMatchObject({ records: expect.any(Number) });
  expect(await kept()).toEqual([undefined]);
  expect(await exported()).not.toContain("zwiebelkuchen");
  expect(await verified()).toMatchObject({ ok: true, faults: [] });
});

it("erases them by caller, and removes those that are left with their records", async () => {
  const keys = ["ada", "bob"].map((name) => ({ name, key: `key-of-${name}-of-16-letters` }));
  gateway = await startTestGateway({ ...CONFIG, auth: { keys } });
  const url = gateway.url("faulty");
  for (const { name, key } of keys) {
    const own = { authorization: `Bearer ${key}` };
    const headers = { ...(await initialize(url, undefined, { headers: own })), ...own };
    const args = { city: 5, dish: `of ${name}` };
    await post(url, request(1, "tools/call", { name: "get_weather", arguments: args }), headers);
  }
  expect(await kept()).toEqual(['{"city":5,"dish":"of ada"}', '{"city":5,"dish":"of bob"}']);
  const place = openPlace({ dataDir: gateway.dataDir });
  const eraser = await place.eraser();
  await eraser.erase({
    subject: { caller: "ada" },
    dryRun: false,
    author: { actor: "auth.keys", caller: "admin", reason: "request 18" },
    source: "cli",
  });
  await eraser.close();
  expect(await kept()).toEqual([undefined, '{"city":5,"dish":"of bob"}']);
  const [, ofBob] = await gateway.records({ type: "tool_call" });
  const pruner = await place.pruner();
  expect(await pruner.prune({ maxRecords: 0 })).toMatchObject({ removed: expect.any(Number) });
  await pruner.close();
  const reader = await openActivityReader({ dataDir: gateway.dataDir });
  if (reader === undefined || ofBob === undefined) throw new Error("no records");
  expect(await reader.get(ofBob.id)).toBeUndefined();
  expect(JSON.stringify(await gateway.records())).not.toContain("of bob");
  await reader.close();
});

it("keeps none for a gateway of several machines, or as configured, from the next call on", async () => {
  gateway = await startTestGateway(CONFIG);
  const url = gateway.url("faulty");
  const headers = await initialize(url);
  const call = (id: number) =>
    post(url, request(id, "tools/call", { name: "get_weather", arguments: { city: id } }), headers);
  const take = (activity: object) => {
    const text = JSON.stringify({ listen: { address: "127.0.0.1:0" }, ...CONFIG, activity });
    return gateway.gateway.reload(parseConfig(text, { file: "touchstone.json", env: {} }));
  };
  await call(1);
  expect(await take({ bodies: false })).toEqual(["records keep no arguments and no results"]);
  await call(2);
  expect(await take({ bodies: "failed", body_max_bytes: 5 })).toEqual([
    "records keep the arguments of failed calls, and no results",
  ]);
  await call(3);
  expect(await kept()).toEqual(['{"city":1}', undefined, '{"cit…']);
  expect(await verified()).toMatchObject({ ok: true, faults: [] });
});

it("shows the schemas of a checked call after its server is gone", async () => {
  gateway = await startTestGateway(CONFIG);
  const url = gateway.url("faulty");
  const headers = await initialize(url);
  await post(url, request(0, "tools/list"), headers);
  for (const [id, city] of [
    [1, 5],
    [2, "Oslo"],
  ] as const) {
    const args = { city };
    await post(url, request(id, "tools/call", { name: "get_weather", arguments: args }), headers);
  }
  const gone = { listen: { address: "127.0.0.1:0" }, mcpServers: {} };
  await gateway.gateway.reload(
    parseConfig(JSON.stringify(gone), { file: "touchstone.json", env: {} }),
  );
  const [failed, passed] = await gateway.records({ type: "tool_call" });
  const [decision] = await gateway.records({ type: "policy_decision" });
  const schemasOf = async (id = "") =>
    (await fetch(new URL(`/api/v1/activity/${id}/schema`, url))).json();
  const input = { hash: decision?.schema_hash, text: expect.stringContaining('"city"') };
  for (const record of [failed, decision]) {
    expect(await schemasOf(record?.id)).toEqual({
      ...{ id: record?.id, server: "faulty", tool: "get_weather" },
      ...{ input, output: null },
    });
  }
  // No decision about a valid call contains a schema.
  expect(await schemasOf(passed?.id)).toMatchObject({ input: null, output: null });
});
