import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import fc from "fast-check";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { SessionStore } from "../../../../records/src/session-store.ts";
import { knownSecrets } from "../../../../util/src/known-secrets.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { currentSessionStore } from "../guarded-stores.ts";
import { Attempts, MAX_FAILED_ATTEMPTS } from "./attempts.ts";
import { sessionValues } from "./cookie.ts";
import { Browser, codeOf, FROM_CONSOLE, send } from "./testing/browser.ts";

const KEY = "key-of-vera-viewer";
const ADMIN = "key-of-adam-admin";

let touchstone: TestGateway;
let base: string;
let name: string;

beforeAll(async () => {
  touchstone = await startTestGateway({
    auth: {
      keys: [
        { name: "vera", key: KEY, role: "viewer" },
        { name: "adam", key: ADMIN, role: "admin" },
      ],
    },
  });
  base = touchstone.gateway.url;
  name = `touchstone_session_${touchstone.gateway.port}`;
});
afterAll(() => touchstone.close());

async function signedIn(key: string): Promise<string> {
  const browser = new Browser(base);
  await browser.signIn({ key });
  return browser.cookie.split("=")[1] ?? "";
}
const nameOf = async (cookie: string | readonly string[]): Promise<unknown> =>
  (await send(base, "GET", "/api/v1/session", { ...FROM_CONSOLE, cookie })).body["name"];
const other = (): string => randomBytes(32).toString("base64url");

describe("of several cookies", () => {
  it("one valid one counts, beside old ones and others of the host", async () => {
    const value = await signedIn(KEY);
    for (const cookie of [
      `${name}=${value}`,
      `a=b; ${name}=${value}; c="d;e"`,
      `${name}=${other()}; ${name}=${value}`,
      `${name}=${value}; ${name}=${value}; ${name}=${value}; ${name}=${value}; ${name}=${value}`,
      `${name}=; ${name}=x; ${name}=${"x".repeat(5_000)}; ${name}=${value}`,
      `touchstone_session=${other()}; touchstone_session_1=${other()}; ${name}=${value}`,
      `  ${name} = ${value}  ;;;=;==`,
    ]) {
      expect([cookie, await nameOf(cookie)]).toEqual([cookie, "vera"]);
    }
    expect(await nameOf([`${name}=${value}`, "x=y"])).toBe("vera");
  });

  it("none counts if two name different sessions: one was planted", async () => {
    const [own, planted] = [await signedIn(KEY), await signedIn(ADMIN)];
    expect(await nameOf(`${name}=${planted}; ${name}=${own}`)).toBeUndefined();
    expect(await nameOf(`${name}=${own}; ${name}=${planted}`)).toBeUndefined();
    // The HTTPS name, which only this host can set, wins.
    expect(await nameOf(`${name}=${planted}; __Host-${name}=${own}`)).toBe("vera");
  });

  it("none counts if there are more than four", async () => {
    const value = await signedIn(KEY);
    const planted = Array.from({ length: 4 }, () => `${name}=${other()}`);
    expect(await nameOf([...planted, `${name}=${value}`].join("; "))).toBeUndefined();
    expect(await nameOf([...planted.slice(1), `${name}=${value}`].join("; "))).toBe("vera");
  });

  it.each([
    ["of another name", (value: string) => `touchstone_session=${value}`],
    ["of another port", (value: string) => `touchstone_session_1=${value}`],
    ["in quotes", (value: string) => `${name}="${value}"`],
    ["in other letters", (value: string) => `${name.toUpperCase()}=${value}`],
    ["cut", (value: string) => `${name}=${value.slice(1)}`],
    ["with more", (value: string) => `${name}=${value}A`],
    ["of invalid characters", (value: string) => `${name}=${value.slice(1)}%`],
    ["inside another", (value: string) => `x=${name}=${value}`],
  ])("one %s does not count", async (_, of) => {
    expect(await nameOf(of(await signedIn(KEY)))).toBeUndefined();
  });
});

it("reads any Cookie header without a value that it would look up", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom("touchstone_session", "__Host-touchstone_session", "=", ";", "__proto__"),
    fc.stringMatching(/^[\w-]{43}$/),
  );
  fc.assert(
    fc.property(
      fc.array(piece).map((all) => all.join("")),
      (cookie) => {
        const values = sessionValues({ host: "h", cookie });
        expect(values.length).toBeLessThanOrEqual(4);
        for (const value of values) expect(value).toMatch(/^[\w-]{43}$/);
      },
    ),
  );
});

it("refuses headers over the limit of the listener, and reads what is below in one turn", async () => {
  const many = `${name}=x; `.repeat(600).slice(0, 15_000);
  const shown = await send(base, "GET", "/api/v1/session", { ...FROM_CONSOLE, cookie: many });
  expect([shown.status, shown.body["signed_in"]]).toEqual([200, false]);
  const oversized = { ...FROM_CONSOLE, cookie: `${name}=${"x".repeat(40_000)}` };
  expect((await send(base, "GET", "/api/v1/session", oversized)).status).toBe(431);
});

describe("too many failed attempts", () => {
  it("make their address wait, and only it, until the minute is over", () => {
    const time = { now: 0 };
    const attempts = new Attempts(() => time.now);
    for (let i = 0; i < MAX_FAILED_ATTEMPTS; i += 1) {
      expect(attempts.wait("a")).toBe(0);
      attempts.failed("a");
    }
    expect([attempts.wait("a"), attempts.wait("b")]).toEqual([60, 0]);
    time.now = 59_500;
    expect(attempts.wait("a")).toBe(1);
    time.now = 60_000;
    expect(attempts.wait("a")).toBe(0);
  });

  it("count for at most a thousand addresses", () => {
    const attempts = new Attempts(() => 0);
    for (let i = 0; i < MAX_FAILED_ATTEMPTS; i += 1) attempts.failed("first");
    for (let i = 0; i < 1_000; i += 1) attempts.failed(String(i));
    expect(attempts.wait("first")).toBe(0);
  });

  it("refuse the right key as well, and leave at most as many records as other rejections", async () => {
    const flooded = await startTestGateway({ auth: { keys: [{ name: "vera", key: KEY }] } });
    try {
      const browser = new Browser(flooded.gateway.url);
      const seen = new Map<number, number>();
      for (let i = 0; i < 60; i += 1) {
        const { status } = await browser.signIn(i % 2 === 0 ? { key: "wrong" } : { code: other() });
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
      expect([...seen]).toEqual([
        [401, MAX_FAILED_ATTEMPTS],
        [429, 60 - MAX_FAILED_ATTEMPTS],
      ]);
      const right = await browser.signIn({ key: KEY });
      expect([right.status, right.body["code"]]).toEqual([429, "TOO_MANY_ATTEMPTS"]);
      expect(Number(right.headers["retry-after"])).toBeGreaterThan(0);
      const records = await flooded.records({ type: "server_change" });
      expect(records.length).toBe(MAX_FAILED_ATTEMPTS);
      expect(records[0]).toMatchObject({ status: "rejected" });
    } finally {
      await flooded.close();
    }
  });
});

describe("what is secret", () => {
  it("is in no log line and no record", async () => {
    const code = codeOf(touchstone.gateway.consoleLink());
    const browser = new Browser(base);
    await browser.signIn({ code });
    const value = await signedIn(ADMIN);
    await browser.signIn({ code });
    await browser.signIn({ key: "wrong-key-of-somebody" });
    await browser.send("DELETE", "/api/v1/session");
    await send(base, "GET", "/api/v1/none", { ...FROM_CONSOLE, cookie: `${name}=${value}` });
    await send(base, "PATCH", "/api/v1/modes", { cookie: `${name}=${value}` }, {});
    const told = [...touchstone.lines, JSON.stringify(await touchstone.records())].join("\n");
    expect(told).toContain("signed in to the console");
    for (const secret of [code, value, KEY, ADMIN, "wrong-key-of-somebody"]) {
      expect(told.includes(secret)).toBe(false);
    }
  });

  it("is redacted elsewhere once it has signed somebody in, also if the file has its digest only", async () => {
    const key = `key-of-hanna-${other()}`;
    const digest = createHash("sha256").update(key).digest("hex");
    const own = await startTestGateway({
      auth: { keys: [{ name: "hanna", key: `sha256:${digest}`, role: "admin" }] },
    });
    try {
      expect((await new Browser(own.gateway.url).signIn({ key })).status).toBe(200);
      expect(knownSecrets()).toContain(key);
    } finally {
      await own.close();
    }
  });
});

describe("a store that fails", () => {
  it("signs nobody in: 503 with the reason in the log, and the gateway goes on", async () => {
    const own = await startTestGateway({
      auth: { keys: [{ name: "vera", key: KEY, role: "viewer" }] },
    });
    try {
      const browser = new Browser(own.gateway.url);
      await browser.signIn({ key: KEY });
      const stream = await browser.stream("/api/v1/activity/events");
      const db = new Database(join(own.dataDir, "activity.db"));
      db.exec("ALTER TABLE console_sessions RENAME TO moved");
      await stream.ended;
      for (const [method, path] of [
        ["GET", "/api/v1/session"],
        ["GET", "/api/v1/settings"],
        ["DELETE", "/api/v1/session"],
      ] as const) {
        const { status, body } = await browser.send(method, path);
        expect([path, status, body["code"]]).toEqual([path, 503, "SESSION_UNREADABLE"]);
      }
      expect((await new Browser(own.gateway.url).signIn({ key: KEY })).status).toBe(503);
      // A request with a key needs no session.
      const byKey = await send(own.gateway.url, "GET", "/api/v1/settings", { "x-api-key": KEY });
      expect(byKey.status).toBe(200);
      db.exec("ALTER TABLE moved RENAME TO console_sessions");
      db.close();
      expect((await browser.send("GET", "/api/v1/settings")).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  it("is waited for 10 s at most if it hangs", async () => {
    vi.useFakeTimers();
    try {
      const never = new Promise<never>(() => {});
      const hanging = { find: () => never, end: () => never, all: () => never } as unknown;
      const store = currentSessionStore(() => hanging as SessionStore);
      const asked = [store.find("x"), store.end("x"), store.all()];
      const refused = Promise.allSettled(asked);
      await vi.advanceTimersByTimeAsync(10_000);
      for (const { reason } of (await refused) as PromiseRejectedResult[]) {
        expect(reason).toMatchObject({ code: "STORE_UNREACHABLE", status: 503 });
        expect(String(reason)).toContain("did not respond within 10 s");
      }
    } finally {
      vi.useRealTimers();
    }
  });
});
