import { expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../config/load.ts";
import { parseMetrics } from "../../insight/telemetry/testing/parse-metrics.ts";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway } from "../../testing/gateway.ts";
import { initialize, post, request } from "../../testing/http.ts";
import { startReceiver } from "./testing/receiver.ts";

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };
const DIES = {
  command: process.execPath,
  args: ["-e", 'console.error("no license"); process.exit(7)'],
};
const when = (event: string, url: string, more: object = {}) => ({
  when: event,
  webhook: { url },
  ...more,
});

it("alerts on calls and servers, follows changed rules, and counts alerts", async () => {
  const receiver = await startReceiver();
  const { url } = receiver;
  const base = { mcpServers: { faulty: FAULTY, dies: DIES }, input_validation: { mode: "strict" } };
  const gateway = await startTestGateway({
    ...base,
    telemetry: { metrics: true },
    alerts: [when("blocked", url), when("server_failed", url), when("call_error", url)],
  });
  onTestFinished(() => gateway.close());
  const faulty = gateway.url("faulty");
  const headers = await initialize(faulty);
  const bad = (id: number) =>
    request(id, "tools/call", { name: "get_weather", arguments: { city: 5 } });
  await post(faulty, bad(1), headers);
  await post(gateway.url("dies"), request(1, "initialize", {}), {}).catch(() => {});
  const got = await receiver.whenThereAre(2);
  const documents = got.map(({ body }) => JSON.parse(body));
  expect(documents).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: "policy_decision",
        decision: "blocked",
        server: "faulty",
        tool: "get_weather",
      }),
      expect.objectContaining({
        type: "server_change",
        status: "error",
        server: "dies",
        reason: expect.stringContaining("no license"),
      }),
    ]),
  );

  const text = JSON.stringify({
    listen: { address: "127.0.0.1:0" },
    ...base,
    telemetry: { metrics: true },
    alerts: [when("blocked", `${url}/2`)],
  });
  const config = parseConfig(text, { file: "touchstone.json", env: {} });
  expect(await gateway.gateway.reload(config)).toEqual(["the alerts have changed"]);
  await post(faulty, bad(2), headers);
  const [, , third] = await receiver.whenThereAre(3);
  expect(third?.path).toBe("/hook/SECRET-PATH/2");

  // Each alert is counted once its response has arrived.
  const counted = async (): Promise<unknown> => {
    const page = await fetch(`${gateway.gateway.url}metrics`);
    const { samples = [] } = parseMetrics(await page.text()).get("touchstone_alerts_total") ?? {};
    return samples.map(({ labels, value }) => [labels["when"], labels["outcome"], value]).sort();
  };
  await expect.poll(counted).toEqual([
    ["blocked", "sent", 2],
    ["server_failed", "sent", 1],
  ]);
});

it("alerts on a missing server program at startup", async () => {
  const receiver = await startReceiver();
  const gateway = await startTestGateway({
    mcpServers: { gone: { command: "/nowhere/server" }, faulty: FAULTY },
    alerts: [when("server_failed", receiver.url, { server: "gone" })],
  });
  onTestFinished(() => gateway.close());
  const [got] = await receiver.whenThereAre(1);
  expect(JSON.parse(got?.body ?? "")).toMatchObject({
    server: "gone",
    reason: expect.stringContaining("/nowhere/server"),
  });
});
