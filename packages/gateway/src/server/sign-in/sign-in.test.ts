import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { Browser, codeOf, FROM_CONSOLE, send } from "./testing/browser.ts";

const KEYS = { vera: "key-of-vera-viewer", adam: "key-of-adam-admin", carl: "key-of-carl-caller" };
const ADMIN_KEY = "key-of-the-operator";
const API_KEY = "key-of-every-client";
const ROLES = { vera: "viewer", adam: "admin", carl: "caller" } as const;

let touchstone: TestGateway;
let base: string;

beforeAll(async () => {
  touchstone = await startTestGateway({
    mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
    auth: {
      api_key: API_KEY,
      admin_key: ADMIN_KEY,
      keys: Object.entries(KEYS).map(([name, key]) => ({
        ...{ name, key, role: ROLES[name as keyof typeof ROLES] },
      })),
    },
    http: { allow_execute: true },
  });
  base = touchstone.gateway.url;
});
afterAll(() => touchstone.close());

describe("signing in", () => {
  it.each([
    ["a viewer's key", { key: KEYS.vera }, "viewer", "auth.keys", "vera"],
    ["an admin's key", { key: KEYS.adam }, "admin", "auth.keys", "adam"],
    ["a caller's key", { key: KEYS.carl }, "caller", "auth.keys", "carl"],
    ["the admin key", { key: ADMIN_KEY }, "admin", "auth.admin_key", undefined],
    ["the key of all clients", { key: API_KEY }, "caller", "auth.api_key", undefined],
    ["a code", undefined, "admin", "operator token", undefined],
  ])("by %s gives its role and name", async (_, given, role, credential, name) => {
    const browser = new Browser(base);
    const by = given ?? { code: codeOf(touchstone.gateway.consoleLink()) };
    const signedIn = await browser.signIn(by);
    const expected = { signed_in: true, role, credential, ...(name === undefined ? {} : { name }) };
    expect([signedIn.status, signedIn.body]).toMatchObject([200, expected]);
    const shown = await browser.send("GET", "/api/v1/session");
    expect(shown.body).toEqual(signedIn.body);
    const may = { caller: [403, 403], viewer: [200, 403], admin: [200, 200] }[role];
    const read = await browser.send("GET", "/api/v1/settings");
    const listed = await browser.send("GET", "/api/v1/console-sessions");
    expect([read.status, listed.status]).toEqual(may);
  });

  it("sets a cookie that scripts, other sites and other ports cannot use", async () => {
    const { cookies } = await new Browser(base).signIn({ key: KEYS.vera });
    expect(cookies).toEqual([
      expect.stringMatching(
        new RegExp(
          `^touchstone_session_${touchstone.gateway.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200$`,
        ),
      ),
    ]);
  });

  it("sets a cookie for HTTPS only, if the page came by it", async () => {
    const { port } = touchstone.gateway;
    const origin = `https://127.0.0.1:${port}`;
    const browser = new Browser(base);
    const { cookies } = await browser.signIn({ key: KEYS.vera }, { origin });
    expect(cookies[0]).toMatch(
      new RegExp(`^__Host-touchstone_session_${port}=[\\w-]{43}; Path=/; .*; Secure$`),
    );
    expect((await browser.send("GET", "/api/v1/session")).body).toMatchObject({ signed_in: true });
  });

  it("by a wrong key or code is refused, and says what to do", async () => {
    const browser = new Browser(base);
    const wrong = await browser.signIn({ key: "no-key-of-anybody" });
    expect([wrong.status, wrong.body["code"], wrong.cookies]).toEqual([401, "SIGN_IN_FAILED", []]);
    expect(wrong.body["error"]).toContain("touchstone ui");
    const code = codeOf(touchstone.gateway.consoleLink());
    expect((await browser.signIn({ code })).status).toBe(200);
    const again = await browser.signIn({ code });
    expect([again.status, again.body["code"]]).toEqual([401, "SIGN_IN_FAILED"]);
  });

  it("replaces the session that the browser had, so that none can be planted", async () => {
    const browser = new Browser(base);
    await browser.signIn({ key: KEYS.vera });
    const before = browser.cookie;
    await browser.signIn({ key: KEYS.adam });
    expect(browser.cookie).not.toBe(before);
    const old = await send(base, "GET", "/api/v1/session", { ...FROM_CONSOLE, cookie: before });
    expect(old.body).toMatchObject({ signed_in: false });
  });
});

describe("signing out", () => {
  it("ends the session and removes both cookies, also without a session", async () => {
    const browser = new Browser(base);
    await browser.signIn({ key: KEYS.vera });
    const { cookie } = browser;
    const out = await browser.send("DELETE", "/api/v1/session");
    expect([out.status, out.body["signed_in"], out.cookies.length]).toEqual([200, false, 2]);
    expect(browser.cookie).toBe("");
    const after = await send(base, "GET", "/api/v1/settings", { ...FROM_CONSOLE, cookie });
    expect(after.status).toBe(401);
    expect((await browser.send("DELETE", "/api/v1/session")).status).toBe(200);
  });
});

describe("an admin", () => {
  it("sees who is signed in, and ends a session at once", async () => {
    const [admin, viewer] = [new Browser(base), new Browser(base)];
    const own = await admin.signIn({ key: KEYS.adam });
    const other = await viewer.signIn({ key: KEYS.vera });
    const listed = await admin.send("GET", "/api/v1/console-sessions");
    const sessions = JSON.parse(listed.text) as Record<string, unknown>[];
    const shown = (id: unknown) => sessions.find((session) => session["id"] === id);
    expect(shown(own.body["id"])).toMatchObject({ name: "adam", role: "admin", current: true });
    expect(shown(other.body["id"])).toMatchObject({ name: "vera", role: "viewer", current: false });
    expect(listed.text).not.toContain(viewer.cookie.split("=")[1]);
    const ended = `/api/v1/console-sessions/${String(other.body["id"])}`;
    expect((await admin.send("DELETE", ended)).status).toBe(200);
    expect((await admin.send("DELETE", ended)).status).toBe(404);
    expect((await viewer.send("GET", "/api/v1/settings")).status).toBe(401);
    const records = await touchstone.records({ type: "config_change" });
    expect(records.at(-1)).toMatchObject({
      actor: "auth.keys",
      caller: "adam",
      role: "admin",
      reason: `ended a session of the console: session ${String(other.body["id"])} of vera`,
    });
  });
});

describe("the console's tool API", () => {
  it("has the tools of all servers and of each, for a key and for the cookie", async () => {
    const browser = new Browser(base);
    await browser.signIn({ key: KEYS.carl });
    const call = { message: "hello" };
    for (const at of ["/tools/faulty:echo", "/servers/faulty/tools/echo"]) {
      const path = `/api/v1/tools-api${at}`;
      expect((await browser.send("GET", path)).body).toMatchObject({
        name: at.slice(at.lastIndexOf("/") + 1),
      });
      const called = await browser.send("POST", `${path}/call`, call);
      expect([called.status, called.text]).toEqual([200, expect.stringContaining("hello")]);
      const byKey = await send(base, "GET", path, { "x-api-key": KEYS.carl });
      expect(byKey.status).toBe(200);
      // The cookie is not valid at the paths for other clients, whatever headers the request has.
      expect((await browser.send("GET", at)).status).toBe(401);
      expect((await browser.send("POST", `${at}/call`, call)).status).toBe(401);
    }
    const listed = await browser.send("GET", "/api/v1/tools-api/tools");
    expect(listed.text).toContain("faulty:echo");
    for (const path of ["", "/", "/servers/faulty/", "/servers/faulty/openapi.json", "/assets/x"]) {
      expect((await browser.send("GET", `/api/v1/tools-api${path}`)).status).toBe(404);
    }
  });
});
