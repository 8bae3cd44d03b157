import { get } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../config/load.ts";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import { initialize, post, request } from "../testing/http.ts";

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };
let touchstone: TestGateway;
let base: string;
beforeEach(async () => {
  touchstone = await startTestGateway({
    mcpServers: { faulty: FAULTY },
    auth: { keys: [{ name: "v", role: "viewer", key: "k" }] },
  });
  base = `http://127.0.0.1:${touchstone.gateway.port}/api/v1/activity`;
});
afterEach(() => touchstone.close());

const authorized = { headers: { "x-api-key": "k" } };

describe("records over HTTP", () => {
  it("are available with the response, with the filters of the command line", async () => {
    const url = touchstone.url("faulty");
    const headers = { ...authorized.headers, ...(await initialize(url, undefined, authorized)) };
    await post(url, request(1, "tools/list"), headers);
    const call = { name: "get_weather", arguments: { city: "Berlin" } };
    await post(url, request(2, "tools/call", call), headers);
    const answer = await fetch(`${base}?type=policy_decision&direction=output`, authorized);
    expect(answer.status).toBe(200);
    const page = (await answer.json()) as { activities: { id: string }[]; total: number };
    expect(page).toMatchObject({ total: 1, activities: [{ tool: "get_weather" }] });
    const [record] = page.activities;
    const one = await fetch(`${base}/${record?.id}`, authorized);
    expect(await one.json()).toMatchObject({ id: record?.id, server: "faulty" });
  });

  it("are refused without the key, and to a foreign host", async () => {
    expect((await fetch(base)).status).toBe(401);
    const { port } = touchstone.gateway;
    const headers = { host: "evil.example", ...authorized.headers };
    const status = await new Promise<number | undefined>((resolve, reject) => {
      get({ host: "127.0.0.1", port, path: "/api/v1/activity", headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", reject);
    });
    expect(status).toBe(403);
  });

  it("answer an invalid filter with 400", async () => {
    const answer = await fetch(`${base}?colour=red`, authorized);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: expect.stringContaining("colour") });
  });
});

it("the rollout uses the settings in force", async () => {
  const touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY } });
  const url = touchstone.url("faulty");
  const headers = await initialize(url);
  await post(url, request(1, "tools/list"), headers);
  const call = { name: "get_weather", arguments: { city: "Berlin" } };
  await post(url, request(2, "tools/call", call), headers);
  const wouldBlock = async () => {
    const { port } = touchstone.gateway;
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/activity/rollout`);
    return ((await answer.json()) as { would_block: number }).would_block;
  };
  expect(await wouldBlock()).toBe(1);
  const tools = { get_weather: { output_validation: { rules: { type: "warning" } } } };
  const { port } = touchstone.gateway;
  const changed = {
    mcpServers: { faulty: { ...FAULTY, touchstone: { tools } } },
    listen: { address: "127.0.0.1:0" },
  };
  await touchstone.gateway.reload(
    parseConfig(JSON.stringify(changed), { file: "touchstone.json", env: {} }),
  );
  expect([touchstone.gateway.port, await wouldBlock()]).toEqual([port, 0]);
  await touchstone.close();
});

it("records contain arguments and results if configured, without secrets", async () => {
  const keeping = await startTestGateway({
    mcpServers: { faulty: FAULTY },
    activity: { bodies: true },
  });
  const url = keeping.url("faulty");
  const headers = await initialize(url);
  const call = { name: "get_weather", arguments: { city: "Oslo", api_key: "hunter2-hunter2" } };
  await post(url, request(1, "tools/call", call), headers);
  const [record] = await keeping.records({ type: "tool_call" });
  await keeping.close();
  expect(record?.arguments).toContain('"city":"Oslo"');
  expect(record?.arguments).not.toContain("hunter2");
  expect(record?.redactions).toBeGreaterThan(0);
  expect(record?.result).toContain("structuredContent");
});
