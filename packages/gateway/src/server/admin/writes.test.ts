import { chmodSync, readdirSync, statSync } from "node:fs";
import { get } from "node:http";
import { dirname } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { initialize, post, request } from "../../testing/http.ts";
import { type AdminGateway, startAdminGateway } from "./testing/admin-gateway.ts";

const FAULTY = JSON.stringify({ command: process.execPath, args: [FAULTY_SERVER] });
const TEXT = `{
  // What is served
  "mcpServers": {
    "faulty": ${FAULTY}, // breaks what it declares
    "other": ${FAULTY},
  },
  "output_validation": { "max_bytes": 1000 /* small */ },
}
`;

let touchstone: AdminGateway;
afterEach(() => touchstone.close());

const BAD_CALL = { name: "get_weather", arguments: { city: 7 } };

describe("PATCH modes", () => {
  it("of a server writes the file, applies to open sessions, and leaves one record", async () => {
    touchstone = await startAdminGateway(TEXT);
    chmodSync(touchstone.file, 0o640);
    const url = touchstone.url("faulty");
    const session = await initialize(url);
    const call = async (id: number) =>
      (await post(url, request(id, "tools/call", BAD_CALL), session)).text;
    expect(await call(1)).not.toContain('"isError":true');
    const { status, body } = await touchstone.patch("servers/faulty/modes", { input: "strict" });
    expect([status, body]).toEqual([
      200,
      {
        modes: { input: "strict", output: "warn", protocol: "warn" },
        overridden: [],
        changes: ["faulty has new settings"],
      },
    ]);
    expect(await call(2)).toContain('"isError":true');
    const section = `, "touchstone": { "input_validation": { "mode": "strict" } }}, // breaks`;
    expect(touchstone.text()).toBe(TEXT.replace("}, // breaks", section));
    expect(statSync(touchstone.file).mode & 0o777).toBe(0o640);
    expect(readdirSync(dirname(touchstone.file))).toEqual(["touchstone.json"]);
    expect(await touchstone.records({ type: "config_change" })).toMatchObject([
      {
        source: "http",
        reason: expect.stringMatching(
          /^faulty has new settings \(admin API: input strict for faulty\); configuration sha256:/,
        ),
      },
    ]);
    expect((await touchstone.get("servers/other")).body).toMatchObject({
      modes: { input: "warn" },
    });
  });

  it("names the caller in the record of the change", async () => {
    const key = "adam-has-this-key";
    const auth = { keys: [{ name: "adam", key, role: "admin" }] };
    touchstone = await startAdminGateway(TEXT.replace("{", `{ "auth": ${JSON.stringify(auth)},`));
    const headers = { authorization: `Bearer ${key}` };
    const made = await touchstone.patch("servers/faulty/modes", { input: "strict" }, headers);
    expect(made.status).toBe(200);
    expect(await touchstone.records({ type: "config_change" })).toMatchObject([
      { source: "http", caller: "adam", reason: expect.stringMatching(/^faulty has new settings/) },
    ]);
  });

  it("sets modes of a tool and of everything, and removes them again", async () => {
    touchstone = await startAdminGateway(TEXT);
    const tool = "servers/faulty/tools/get%2Fx/modes";
    expect((await touchstone.patch(tool, { output: "off" })).body).toMatchObject({
      modes: { output: "off" },
    });
    const all = await touchstone.patch("modes", { output: "strict", protocol: "off" });
    expect(all.body).toMatchObject({
      modes: { input: "warn", output: "strict", protocol: "off" },
      changes: ["faulty has new settings", "other has new settings"],
    });
    expect((await touchstone.get("settings")).body).toMatchObject({
      own: { output: "strict", protocol: "off" },
      validation: { output: { mode: "strict" } },
    });
    expect((await touchstone.patch(tool, { output: null })).body).toMatchObject({
      modes: { output: "strict", protocol: "off" },
    });
    await touchstone.patch("modes", { output: null, protocol: null });
    // No empty section was added to the server's entry.
    expect(touchstone.text()).toBe(TEXT);
    expect(await touchstone.patch("modes", { output: null })).toMatchObject({
      status: 200,
      body: { changes: [] },
    });
  });

  it("reports which modes the command line overrides", async () => {
    touchstone = await startAdminGateway(TEXT, { overrides: { inputMode: "warn" } });
    const { body } = await touchstone.patch("modes", { input: "strict", output: "strict" });
    expect(body).toMatchObject({
      modes: { input: "warn", output: "strict" },
      overridden: ["input"],
    });
    expect(touchstone.text()).toContain(`"input_validation": { "mode": "strict" }`);
  });

  it("applies concurrent changes one after the other", async () => {
    touchstone = await startAdminGateway(TEXT);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        touchstone.patch(`servers/faulty/tools/t${n}/modes`, { input: "off" }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (let n = 0; n < 20; n += 1) expect(touchstone.text()).toContain(`"t${n}": {`);
  });

  it("keeps and applies what others have written into the file", async () => {
    touchstone = await startAdminGateway(TEXT);
    touchstone.write(TEXT.replace('"other"', '"third"'));
    const { body } = await touchstone.patch("servers/faulty/modes", { input: "off" });
    expect(body).toMatchObject({
      changes: ["faulty has new settings", "third is new", "other is gone"],
    });
    expect((await touchstone.patch("servers/other/modes", { input: "off" })).status).toBe(404);
  });
});

describe("a change that cannot be made", () => {
  const stays = async (text: string): Promise<void> => {
    expect(touchstone.text()).toBe(text);
    expect(await touchstone.records({ type: "config_change" })).toEqual([]);
  };

  it("leaves an invalid file unchanged", async () => {
    touchstone = await startAdminGateway(TEXT);
    for (const text of ["{ ", '{ "mode": 1 }']) {
      touchstone.write(text);
      const { status, body } = await touchstone.patch("modes", { input: "off" });
      expect([status, body]).toMatchObject([
        409,
        { code: "CONFIG_INVALID", faults: [{ line: 1, message: expect.any(String) }] },
      ]);
      await stays(text);
    }
    expect((await touchstone.get("settings")).body).toMatchObject({ own: {} });
  });

  it("succeeds if the file contains a change that needs a restart", async () => {
    touchstone = await startAdminGateway(TEXT);
    const text = TEXT.replace(
      '"output',
      '"activity": { "store": "postgres://127.0.0.1:9/x" }, "output',
    );
    touchstone.write(text);
    const { status, body } = await touchstone.patch("modes", { input: "strict" });
    expect([status, body]).toMatchObject([200, { modes: { input: "strict" } }]);
    expect((await touchstone.get("settings")).body).toMatchObject({
      validation: { input: { mode: "strict" } },
      activity: { store: "sqlite" },
    });
  });

  it("is refused if the configuration is not a file", async () => {
    touchstone = await startAdminGateway(TEXT, { editable: false });
    const headers = { authorization: `Bearer ${await touchstone.signedIn()}` };
    const { status, body } = await touchstone.patch("modes", { input: "off" }, headers);
    expect([status, body]).toMatchObject([409, { code: "NOT_EDITABLE" }]);
  });

  it("fails with a status and a code", async () => {
    touchstone = await startAdminGateway(TEXT);
    const large = `{"input":"off"}${" ".repeat(20_000)}`;
    const table: [string, unknown, Record<string, string>, number, string][] = [
      ["modes", { input: "Strict" }, {}, 400, "BAD_REQUEST"],
      ["modes", "{", {}, 400, "BAD_REQUEST"],
      ["servers/faulty/tools/__proto__/modes", { input: "off" }, {}, 400, "BAD_REQUEST"],
      ["modes", large, {}, 413, "TOO_LARGE"],
      ["modes", { input: "off" }, { "content-type": "text/plain" }, 415, "UNSUPPORTED_TYPE"],
      ["servers/none/modes", { input: "off" }, {}, 404, "NOT_FOUND"],
      ["servers/faulty/tools/modes", { input: "off" }, {}, 404, "NOT_FOUND"],
      ["settings", { input: "off" }, {}, 405, "METHOD_NOT_ALLOWED"],
    ];
    for (const [path, body, headers, status, code] of table) {
      const authorization = `Bearer ${touchstone.token}`;
      const answer = await touchstone.patch(path, body, { authorization, ...headers });
      expect([path, answer.status, answer.body]).toMatchObject([
        path,
        status,
        { error: expect.any(String), code },
      ]);
    }
    await stays(TEXT);
  });
});

describe("permission to change settings", () => {
  it("requires the token of the data directory if there is no API key, and logs it nowhere", async () => {
    touchstone = await startAdminGateway(TEXT);
    expect(Buffer.from(touchstone.token, "base64url")).toHaveLength(32);
    const wrong = ["", "x", `${touchstone.token}x`, touchstone.token.slice(1)];
    for (const token of wrong) {
      const headers: Record<string, string> = token === "" ? {} : { "x-api-key": token };
      const { status, body } = await touchstone.patch("modes", { input: "off" }, headers);
      expect([status, body]).toMatchObject([
        401,
        {
          code: "TOKEN_REQUIRED",
          error: expect.stringMatching(/need the role admin.*operator-token.*touchstone ui/),
          role: "admin",
        },
      ]);
    }
    expect(touchstone.text()).toBe(TEXT);
    const byKey = await touchstone.patch(
      "modes",
      { input: "off" },
      { "x-api-key": touchstone.token },
    );
    expect(byKey.status).toBe(200);
    expect((await touchstone.patch("modes", { input: "warn" })).status).toBe(200);
    const lines = touchstone.lines.filter((line) => line.includes(touchstone.token));
    expect(lines).toEqual([]);
  });

  it("requires the admin key if there is one, and there is no token then", async () => {
    const auth = '{ "auth": { "api_key": "k", "admin_key": "a" },';
    touchstone = await startAdminGateway(TEXT.replace("{", auth));
    expect(touchstone.token).toBe("");
    expect((await touchstone.patch("modes", { input: "off" }, {})).status).toBe(401);
    const table: readonly (readonly [Record<string, string>, number])[] = [
      [{ "x-api-key": "k" }, 403],
      [{ authorization: "Bearer k" }, 403],
      [{ authorization: "Bearer a" }, 200],
      [{ "x-api-key": "a" }, 200],
    ];
    for (const [headers, status] of table) {
      expect((await touchstone.patch("modes", { input: "off" }, headers)).status).toBe(status);
    }
  });

  it("is denied to a page of another origin, and under a foreign host name", async () => {
    touchstone = await startAdminGateway(TEXT);
    const authorization = `Bearer ${touchstone.token}`;
    const origin = { authorization, origin: "https://evil.example" };
    expect((await touchstone.patch("modes", { input: "off" }, origin)).status).toBe(403);
    const preflight = await touchstone.get("modes", { method: "OPTIONS" });
    expect(preflight.status).toBe(405);
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    const { port } = touchstone.gateway;
    const headers = { authorization, host: "evil.example" };
    const status = await new Promise<number | undefined>((resolve, reject) => {
      get({ host: "127.0.0.1", port, path: "/api/v1/settings", headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", reject);
    });
    expect(status).toBe(403);
    expect(touchstone.text()).toBe(TEXT);
  });
});
