import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openActivityReader } from "../../../records/src/open-sqlite.ts";
import { fillDisk } from "../../../records/src/testing/full-disk.ts";
import { verifyActivity } from "../../../records/src/verify/verify.ts";
import type { GatewayConfig } from "../config/config.ts";
import { parseConfig } from "../config/load.ts";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import { type HttpAnswer, initialize, post, request } from "../testing/http.ts";

const SERVERS = { mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } } };
const config = (activity: object, more: object = {}): GatewayConfig =>
  parseConfig(
    JSON.stringify({ listen: { address: "127.0.0.1:0" }, ...SERVERS, activity, ...more }),
    { file: "touchstone.json", env: {} },
  );

let touchstone: TestGateway;
let url: string;
let headers: Record<string, string>;
beforeEach(async () => {
  touchstone = await startTestGateway(SERVERS);
  url = touchstone.url("faulty");
  headers = await initialize(url);
});
afterEach(() => touchstone.close());

const call = (id: number, city = "Oslo"): Promise<HttpAnswer> =>
  post(url, request(id, "tools/call", { name: "get_weather", arguments: { city } }), headers);

describe("record settings changed at runtime", () => {
  it("apply to the next call in an open session, and keep the chain intact", async () => {
    await call(1);
    expect(await touchstone.gateway.reload(config({ bodies: true, sync: "full" }))).toEqual([
      "records keep arguments and results",
      "activity.sync is full",
    ]);
    await call(2);
    expect(await touchstone.gateway.reload(config({ bodies: true, body_max_bytes: 8 }))).toEqual([
      "records hold 8 bytes of each body",
      "activity.sync is normal",
    ]);
    await call(3);
    await touchstone.gateway.reload(config({}));
    await call(4);
    const calls = await touchstone.records({ type: "tool_call" });
    expect(calls.map((record) => record.arguments)).toEqual([
      undefined,
      '{"city":"Oslo"}',
      expect.stringMatching(/^.{1,8}…$/),
      undefined,
    ]);
    const changes = await touchstone.records({ type: "config_change" });
    expect(changes.map(({ reason }) => reason)).toHaveLength(3);
    const reader = await openActivityReader({ dataDir: touchstone.dataDir });
    if (reader === undefined) throw new Error("no records");
    const report = await verifyActivity(reader);
    await reader.close();
    expect(report).toMatchObject({ ok: true, faults: [] });
  });

  it("store shapes of results only while turned on", async () => {
    await call(1);
    expect(await touchstone.gateway.reload(config({ drift: true }))).toEqual([
      "the shapes of results are kept",
    ]);
    await call(2);
    await call(3, "Berlin");
    expect(await touchstone.gateway.reload(config({}))).toEqual([
      "the shapes of results are no longer kept",
    ]);
    await call(4);
    const reader = await openActivityReader({ dataDir: touchstone.dataDir });
    if (reader === undefined) throw new Error("no records");
    await expect
      .poll(async () => (await reader.drift("faulty", "get_weather"))[0]?.shape.count)
      .toBe(2);
    const [{ schema, shape } = { schema: "", shape: undefined }] = await reader.drift(
      "faulty",
      "get_weather",
    );
    await reader.close();
    expect(JSON.parse(schema)).toMatchObject({ type: "object" });
    // For Berlin, the server returns the temperature as a string.
    expect([...(shape?.members.get("temperature")?.types.keys() ?? [])].sort()).toEqual(
      expect.arrayContaining(["string"]),
    );
  });

  it("remove records by the new limits", async () => {
    for (let id = 1; id <= 5; id += 1) await call(id);
    expect((await touchstone.records()).length).toBeGreaterThan(5);
    expect(await touchstone.gateway.reload(config({ max_records: 2 }))).toEqual([
      "the retention of records has changed",
    ]);
    await expect
      .poll(async () => (await touchstone.records()).length, { timeout: 10_000 })
      .toBeLessThanOrEqual(3);
    const api = new URL("/api/v1/activity", url);
    expect((await fetch(api)).status).toBe(200);
  });

  it("keep the store until a restart, and apply everything else", async () => {
    const moved = config(
      { store: "postgres://localhost/records" },
      { input_validation: { mode: "strict" } },
    );
    expect(await touchstone.gateway.reload(moved)).toEqual([
      "faulty has new settings",
      // Until the restart, the stricter default of the old and the new store applies.
      "records keep no arguments and no results",
    ]);
    expect(touchstone.lines.join("")).toContain(
      "activity.store has changed and takes effect after a restart",
    );
    const answer = await post(
      url,
      request(1, "tools/call", { name: "get_weather", arguments: { city: 1 } }),
      headers,
    );
    expect(answer.text).toContain("blocked before it reached");
    expect(await touchstone.records({ type: "config_change" })).toHaveLength(1);
    // A reload with the same file changes nothing.
    const before = touchstone.lines.length;
    await touchstone.gateway.reload(moved);
    expect(touchstone.lines).toHaveLength(before);
  });
});

describe("records that cannot be written", () => {
  const ready = async (): Promise<readonly [number, unknown]> => {
    const answer = await fetch(new URL("/readyz", url));
    return [answer.status, await answer.json()];
  };
  it("block calls, make the gateway unready, and leave a record of the gap", async () => {
    await call(1);
    const mend = fillDisk();
    const refused = await call(2);
    expect(JSON.parse(refused.messages[0] ?? "")).toMatchObject({
      id: 2,
      error: { code: -32603, message: expect.stringContaining("could not record this call") },
    });
    expect(touchstone.lines.join("")).toContain("activity could not be recorded");
    expect(await ready()).toMatchObject([
      503,
      { status: "records cannot be kept", records: "failing", servers: { faulty: "running" } },
    ]);
    mend();
    expect(await ready()).toMatchObject([200, { status: "ready", records: "kept" }]);
    expect((await call(3)).text).toContain('"result"');
    const records = await touchstone.records();
    expect(records.map(({ type }) => type)).toContain("server_change");
    expect(records.find(({ type }) => type === "server_change")?.reason).toMatch(
      /^records could not be kept from \d{4}-.* on; now they are again$/,
    );
    expect(records.filter(({ type }) => type === "tool_call")).toHaveLength(2);
  });

  it("are lost with a log line, and block nothing, if so configured", async () => {
    await touchstone.gateway.reload(config({ on_write_failure: "continue" }));
    await call(1);
    const mend = fillDisk();
    expect((await call(2)).text).toContain('"result"');
    expect(touchstone.lines.join("")).toMatch(
      /touchstone error: records are lost, and messages are still forwarded, as configured records=\d/,
    );
    expect(await ready()).toMatchObject([200, { status: "ready", records: "failing" }]);
    mend();
    await call(3);
    expect(await ready()).toMatchObject([200, { records: "kept" }]);
    const gaps = await touchstone.records({ type: "server_change" });
    expect(gaps.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("records could not be kept from"),
    ]);
    expect(await touchstone.records({ type: "tool_call" })).toHaveLength(2);
  });
});
