import { createHmac } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempDir } from "../../../../records/src/testing/temp-dir.ts";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { initialize, post, request } from "../../testing/http.ts";
import { type AdminGateway, startAdminGateway } from "../admin/testing/admin-gateway.ts";
import type { Delivery, ShownAlert } from "../api/operator-schemas.ts";
import { MOST_TESTS } from "./alerts-api.ts";
import { startReceiver } from "./testing/receiver.ts";

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };
const ADMIN_KEY = "an-admin-key-for-tests-only-1";
const VIEWER_KEY = "a-viewer-key-for-tests-only-1";
const admin = { authorization: `Bearer ${ADMIN_KEY}` };
const viewer = { authorization: `Bearer ${VIEWER_KEY}` };

async function started(alerts: readonly object[]): Promise<AdminGateway> {
  const gateway = await startAdminGateway(
    JSON.stringify({
      mcpServers: { faulty: FAULTY },
      input_validation: { mode: "strict" },
      auth: {
        admin_key: ADMIN_KEY,
        keys: [{ name: "reader", key: VIEWER_KEY, role: "viewer" }],
      },
      alerts,
    }),
  );
  onTestFinished(() => gateway.close());
  return gateway;
}

async function listed(gateway: AdminGateway, headers = viewer): Promise<readonly ShownAlert[]> {
  const { status, body } = await gateway.get("alerts", { headers });
  expect(status).toBe(200);
  return body as readonly ShownAlert[];
}

async function tested(gateway: AdminGateway, id: string, headers: Record<string, string> = admin) {
  const {
    status,
    body,
    headers: got,
  } = await gateway.get(`alerts/${id}/test`, {
    method: "POST",
    headers,
  });
  return { status, body: body as Delivery & { readonly code?: string }, headers: got };
}

const idOf = (alerts: readonly ShownAlert[], at = 0): string => alerts[at]?.id ?? "";

describe("a test of an alert", () => {
  it("reaches a webhook marked and signed, and is shown without the URL's path", async () => {
    const receiver = await startReceiver((response) => response.writeHead(204).end());
    const gateway = await started([
      { when: "blocked", server: "faulty", webhook: { url: receiver.url, secret: "k3y" } },
    ]);
    const before = await listed(gateway);
    expect(before).toEqual([
      {
        ...{ id: expect.any(String), when: "blocked", server: "faulty", to: "webhook" },
        ...{ place: new URL(receiver.url).origin, signed: true, minInterval: 0 },
        ...{ since: expect.any(String), waiting: 0, sent: 0, failed: 0, suppressed: 0, dropped: 0 },
        ...{ last: null, lastFailure: null },
      },
    ]);
    const { status, body } = await tested(gateway, idOf(before));
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ sent: true, test: true, status: 204 },
      ...{ time: expect.any(String), durationMs: expect.any(Number) },
    });
    const [got] = receiver.received;
    expect(JSON.parse(got?.body ?? "")).toMatchObject({
      ...{ test: true, type: "policy_decision", decision: "blocked", server: "faulty" },
      reason: "This is a test of the alert. Nothing happened.",
    });
    expect(JSON.parse(got?.body ?? "")).not.toHaveProperty("hash");
    expect(got?.headers).toMatchObject({
      "touchstone-event": "blocked",
      "touchstone-test": "true",
    });
    const [, t, v1] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(`${got?.headers["touchstone-signature"]}`) ?? [];
    expect(v1).toBe(createHmac("sha256", "k3y").update(`${t}.${got?.body}`).digest("hex"));
    // A test is not counted as an alert.
    const [after] = await listed(gateway);
    expect(after).toMatchObject({ sent: 0, failed: 0, last: body, lastFailure: null });
    expect(JSON.stringify(after)).not.toMatch(/SECRET-PATH|k3y/);
    expect(await gateway.records({ type: "policy_decision" })).toEqual([]);
  });

  it("reaches Slack as a text, and a command on its stdin", async () => {
    const receiver = await startReceiver();
    const out = join(tempDir(), "got.json");
    const script = `process.stdin.pipe(require("fs").createWriteStream(${JSON.stringify(out)}))`;
    const gateway = await started([
      { when: "schema_change", webhook: { url: receiver.url, format: "slack" } },
      { when: "server_failed", command: [process.execPath, "-e", script, "SECRET-WORD"] },
    ]);
    const alerts = await listed(gateway);
    expect(alerts.map(({ to, place }) => [to, place])).toEqual([
      ["slack", new URL(receiver.url).origin],
      ["command", process.execPath],
    ]);
    expect(JSON.stringify(alerts)).not.toContain("SECRET-WORD");
    expect((await tested(gateway, idOf(alerts))).body).toMatchObject({ sent: true, status: 200 });
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toEqual({
      text: "Touchstone: schema changed: This is a test of the alert. Nothing happened.",
      mrkdwn: false,
    });
    expect((await tested(gateway, idOf(alerts, 1))).body).toMatchObject({
      ...{ sent: true, exitCode: 0 },
    });
    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({
      ...{ test: true, type: "server_change", status: "error" },
    });
  });

  it.each([
    ["a receiver's error", 500, { status: 500, reason: "the receiver returned HTTP 500" }],
    ["a redirect", 302, { status: 302, reason: expect.stringContaining("are not followed") }],
  ])("reports %s after one attempt", async (_, code, found) => {
    const receiver = await startReceiver((response) =>
      response.writeHead(code, { location: "http://127.0.0.1:9/other" }).end(),
    );
    const gateway = await started([{ when: "blocked", webhook: { url: receiver.url } }]);
    const { status, body } = await tested(gateway, idOf(await listed(gateway)));
    expect([status, body]).toEqual([200, expect.objectContaining({ sent: false, ...found })]);
    expect(receiver.received).toHaveLength(1);
    const [shown] = await listed(gateway);
    expect(shown).toMatchObject({ last: body, lastFailure: body, failed: 0 });
  });

  it("reports a receiver that is not there, and a command's last words without secrets", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const gateway = await started([
      { when: "blocked", webhook: { url: "http://127.0.0.1:9/SECRET-PATH" } },
      {
        when: "blocked",
        command: [
          process.execPath,
          "-e",
          `console.error("no pager \\u001b[31m\\u202e${secret}"); process.exitCode = 3`,
        ],
      },
      { when: "blocked", command: ["/nowhere/pager"] },
    ]);
    const alerts = await listed(gateway);
    const ends = await Promise.all(alerts.map(({ id }) => tested(gateway, id)));
    const [gone, failed, missing] = ends.map(({ body }) => body);
    expect(gone).toMatchObject({ sent: false, reason: expect.any(String) });
    expect(gone).not.toHaveProperty("status");
    expect(failed).toMatchObject({ sent: false, exitCode: 3 });
    expect(failed?.reason).toContain("no pager \\u{1b}[31m\\u{202e}");
    expect(missing).toMatchObject({ sent: false, reason: expect.stringContaining("ENOENT") });
    expect(JSON.stringify([ends, await listed(gateway)])).not.toMatch(/SECRET-PATH|ghp_/);
  });

  it("needs the role admin, an id of the list, and at most six within a minute", async () => {
    const receiver = await startReceiver();
    const gateway = await started([{ when: "blocked", webhook: { url: receiver.url } }]);
    const id = idOf(await listed(gateway));
    expect(await tested(gateway, id, viewer)).toMatchObject({
      status: 403,
      body: { code: "ROLE_REQUIRED" },
    });
    expect((await tested(gateway, id, {})).status).toBe(401);
    expect((await gateway.get("alerts")).status).toBe(401);
    expect(await tested(gateway, "0")).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    for (let at = 0; at < MOST_TESTS; at += 1) expect((await tested(gateway, id)).status).toBe(200);
    const last = await tested(gateway, id);
    expect([last.status, last.body.code]).toEqual([429, "TOO_MANY_TESTS"]);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(receiver.received).toHaveLength(MOST_TESTS);
  });

  it("neither delays nor suppresses a true alert, and the list counts these", async () => {
    const receiver = await startReceiver();
    const gateway = await started([
      { when: "blocked", webhook: { url: receiver.url }, min_interval: 3600 },
    ]);
    const id = idOf(await listed(gateway));
    await tested(gateway, id);
    const url = gateway.url("faulty");
    const headers = await initialize(url, undefined, { headers: admin });
    const bad = { name: "get_weather", arguments: { city: 5 } };
    for (const at of [1, 2])
      await post(url, request(at, "tools/call", bad), { ...admin, ...headers });
    await receiver.whenThereAre(2);
    await expect
      .poll(() => listed(gateway))
      .toMatchObject([
        { id, sent: 1, suppressed: 1, failed: 0, last: { sent: true, test: false, status: 200 } },
      ]);
  });
});

it("keeps the ids of entries that did not change, and drops those that did", async () => {
  const receiver = await startReceiver();
  const gateway = await started([
    { when: "blocked", webhook: { url: receiver.url } },
    { when: "call_error", webhook: { url: receiver.url } },
  ]);
  const [blocked, failing] = await listed(gateway);
  const text = JSON.parse(gateway.text()) as { alerts: { when: string; min_interval?: number }[] };
  const [first, second] = text.alerts;
  writeFileSync(
    gateway.file,
    JSON.stringify({ ...text, alerts: [{ ...second, min_interval: 5 }, first] }),
  );
  expect(existsSync(gateway.file)).toBe(true);
  const { parseConfig } = await import("../../config/load.ts");
  const config = parseConfig(gateway.text(), {
    file: gateway.file,
    env: {},
    overrides: { listen: "127.0.0.1:0" },
  });
  await gateway.gateway.reload(config);
  const [changed, same] = await listed(gateway);
  expect(same?.id).toBe(blocked?.id);
  expect(changed?.id).not.toBe(failing?.id);
  expect(await tested(gateway, failing?.id ?? "")).toMatchObject({ status: 404 });
});
