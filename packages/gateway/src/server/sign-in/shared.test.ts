import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { useDatabases } from "../../../../records/src/testing/databases.ts";
import { startTestGateway } from "../../testing/gateway.ts";
import { Browser } from "./testing/browser.ts";

const KEYS = [
  { name: "vera", key: "key-of-vera-viewer", role: "viewer" },
  { name: "adam", key: "key-of-adam-admin", role: "admin" },
];
const database = useDatabases();

type Skip = (reason: string) => never;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "touchstone-sessions-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Starts gateways on one store: on one data directory, or on one PostgreSQL database. */
const KINDS: readonly (readonly [string, (skip: Skip) => Promise<() => Promise<Started>>])[] = [
  [
    "SQLite",
    async () => {
      const dataDir = folder();
      return () => started({}, dataDir);
    },
  ],
  [
    "PostgreSQL",
    async (skip) => {
      const store = await database(skip);
      return () => started({ activity: { store } }, folder());
    },
  ],
];
type Started = Awaited<ReturnType<typeof started>>;

async function started(config: object, dataDir: string) {
  const touchstone = await startTestGateway({ auth: { keys: KEYS }, ...config }, dataDir);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= touchstone.gateway.close();
    return closed;
  };
  onTestFinished(close);
  return { ...touchstone, close };
}

/** The same browser at another replica, as through a load balancer: it keeps its `Host`. */
const through = (browser: Browser, { gateway }: Started): Browser =>
  browser.at(gateway.url, new URL(browser.base).host);

describe.each(KINDS)("sessions of gateways on one store: %s", (_, open) => {
  it("survive a restart, hold on each replica, and end on all at once", async ({ skip }) => {
    const start = await open(skip);
    const [one, other] = [await start(), await start()];
    const viewer = new Browser(one.gateway.url);
    const admin = new Browser(other.gateway.url);
    const { body } = await viewer.signIn({ key: "key-of-vera-viewer" });
    await admin.signIn({ key: "key-of-adam-admin" });
    const there = through(viewer, other);
    expect((await there.send("GET", "/api/v1/settings")).status).toBe(200);
    expect((await there.send("GET", "/api/v1/console-sessions")).status).toBe(403);
    await one.close();
    const again = through(viewer, await start());
    expect((await again.send("GET", "/api/v1/session")).body).toEqual(body);
    const ended = `/api/v1/console-sessions/${String(body["id"])}`;
    expect((await admin.send("DELETE", ended)).status).toBe(200);
    for (const browser of [there, again]) {
      expect((await browser.send("GET", "/api/v1/settings")).status).toBe(401);
      expect((await browser.send("GET", "/api/v1/session")).body).toMatchObject({
        signed_in: false,
      });
    }
  });

  it("end their streams on another replica", async ({ skip }) => {
    const start = await open(skip);
    const [one, other] = [await start(), await start()];
    const viewer = new Browser(one.gateway.url);
    await viewer.signIn({ key: "key-of-vera-viewer" });
    const stream = await through(viewer, other).stream("/api/v1/activity/events");
    expect(stream.status).toBe(200);
    expect((await viewer.send("DELETE", "/api/v1/session")).status).toBe(200);
    await stream.ended;
  });
});
