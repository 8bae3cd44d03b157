import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ActivityEntry } from "../../../records/src/record.ts";
import { createLogger } from "../../../util/src/log.ts";
import { SCRIPTED_SERVER } from "../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import { RejectedRequestRecords } from "./rejected-requests.ts";

const KEY = `ts_${"aB3-x_9".repeat(7).slice(0, 43)}`;
const TOKEN = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.${"c2ln".repeat(20)}`;

/** Sends a request without a body; fetch does not allow all of these headers. */
function send(target: string, method: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(target, { method, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject).end();
  });
}

describe("a request that is rejected before it is read", () => {
  let test: TestGateway;
  let base: string;

  beforeAll(async () => {
    test = await startTestGateway({
      auth: { api_key: "s3cret" },
      mcpServers: { one: { command: process.execPath, args: [SCRIPTED_SERVER] } },
    });
    base = new URL("/", test.url("one")).href;
  });
  afterAll(() => test.close());

  it.each([
    ["POST", "mcp/one", {}, 401, "without an API key", "one"],
    ["POST", "mcp/one?key=hidden", { "x-api-key": "gue55" }, 401, "with another API key", "one"],
    ["GET", "mcp/one", { authorization: "Bearer gue55" }, 401, "with another API key", "one"],
    ["POST", "mcp/none", {}, 401, "without an API key", null],
    ["PATCH", "api/v1/servers/one", {}, 401, "without an API key", null],
    [
      "GET",
      "",
      { host: "evil.example:80" },
      403,
      'with the Host "evil.example:80", which is not allowed',
      null,
    ],
    [
      "DELETE",
      "mcp/one",
      { origin: "https://evil.example" },
      403,
      'with the Origin "https://evil.example", which is not allowed',
      "one",
    ],
    ["GET", "", { "sec-fetch-site": "cross-site" }, 403, "by a page of another site", null],
  ])("is logged and recorded: %s /%s %j", async (method, path, headers, status, why, server) => {
    expect(await send(base + path, method, headers)).toBe(status);
    const reason = `a request was rejected: ${method} /${path.replace(/\?.*/, "")} from 127.0.0.1, ${why}`;
    expect(test.lines.at(-1)).toBe(`touchstone warn: ${reason}\n`);
    const [last] = (await test.records({ type: "server_change" })).slice(-1);
    expect(last).toMatchObject({ status: "rejected", source: "gateway", server, reason });
    expect(JSON.stringify(last) + test.lines.join()).not.toMatch(/gue55|hidden/);
  });

  it.each([
    ["a key of this gateway that it knows by its hash", KEY],
    ["an access token", TOKEN],
    ["a key in a name", `one-${KEY}`],
  ])("loses %s that is in its path, Host or Origin", async (_, secret) => {
    const before = test.lines.length;
    await send(`${base}mcp/${secret}`, "POST", { "x-api-key": "gue55" });
    await send(base, "GET", { host: `${secret}.example` });
    await send(base, "DELETE", { origin: `https://${secret}.example` });
    const lines = test.lines.slice(before);
    const records = (await test.records({ type: "server_change" })).slice(-3);
    expect(lines).toHaveLength(3);
    for (const text of [...lines, ...records.map(({ reason }) => String(reason))]) {
      expect(text).toContain("[redacted]");
      expect(text).not.toContain(KEY.slice(0, 20));
      expect(text).not.toContain(TOKEN.slice(0, 20));
    }
  });

  it("is not logged for a browser without a key, or a probe", async () => {
    const before = test.lines.length;
    for (const path of ["", "api/v1/servers", "favicon.ico", "mcp/one"]) {
      expect([200, 401]).toContain(await send(base + path, "GET", {}));
    }
    expect(await send(`${base}readyz`, "GET", { host: "10.1.2.3" })).toBe(200);
    expect(test.lines.slice(before).join()).not.toContain("was rejected");
  });
});

describe("many rejected requests", () => {
  const refusal = { status: 401, code: "API_KEY_REQUIRED", message: "" } as const;
  const request = { method: "POST", headers: {}, socket: {} } as unknown as IncomingMessage;
  const turnedAway = { request, path: "/mcp/one", server: "one", refusal };

  function noted(append: (entries: readonly ActivityEntry[]) => Promise<unknown>) {
    const lines: string[] = [];
    const ends: (() => void)[] = [];
    const log = createLogger((line) => lines.push(line), "info");
    const records = new RejectedRequestRecords({
      append,
      log,
      pace: { later: (end) => void ends.push(end) },
    });
    const note = (count: number): void => {
      for (let i = 0; i < count; i += 1) records.note(turnedAway);
    };
    return { lines, note, endWindow: () => ends.pop()?.() };
  }

  it("are only counted after the first ones, until the next window", () => {
    const entries: ActivityEntry[] = [];
    const { lines, note, endWindow } = noted(async (more) => entries.push(...more));
    note(1_000);
    expect([entries.length, lines.length]).toEqual([20, 20]);
    expect(lines[0]).toContain("POST /mcp/one from an unknown address, without");
    endWindow();
    expect(entries.at(-1)?.reason).toBe("980 more requests were rejected within a minute");
    expect(lines.at(-1)).toContain("980 more requests");
    note(21);
    endWindow();
    expect(entries.at(-1)?.reason).toBe("one more request was rejected within a minute");
    note(20);
    endWindow();
    expect(entries).toHaveLength(21 + 21 + 20);
  });

  it("are reported in the log if they cannot be recorded", async () => {
    const { lines, note } = noted(() => Promise.reject(new Error("the disk is full")));
    note(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines[1]).toContain("could not be recorded");
    expect(lines[1]).toContain("the disk is full");
  });
});
