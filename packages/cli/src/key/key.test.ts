import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashOfKey, parseConfig } from "@touchstone/gateway/config";
import { describe, expect, it } from "vitest";
import { FAULTY_SERVER, outcomeOf, tempDir, touchstone } from "../testing/touchstone.ts";

/** A name that is not a reference to a variable. */
const LITERAL = `天 $\{HOME}`;
const KEY = /^ts_[\w-]{43}$/;

interface Created {
  readonly key: string;
  readonly entry: { readonly name: string; readonly role: string; readonly key: string };
}

async function created(...args: readonly string[]): Promise<Created> {
  const { code, out, err } = await outcomeOf(["key", "create", ...args, "-o", "json"]);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out);
}

describe("key create", () => {
  it("prints a key and its entry on stdout, and what they are for on stderr", async () => {
    const { code, out, err } = await outcomeOf(["key", "create", "--name", "alice"]);
    const [key = "", empty, entry = "", end] = out.split("\n");
    expect([code, empty, end]).toEqual([0, "", ""]);
    expect(key).toMatch(KEY);
    expect(JSON.parse(entry)).toEqual({
      name: "alice",
      role: "caller",
      key: `sha256:${hashOfKey(key)}`,
    });
    expect(err).toContain("not shown again");
    expect(err).not.toContain(key);
  });

  it.each(["caller", "viewer", "admin"])(
    "makes an entry that the gateway reads: %s",
    async (role) => {
      const { key, entry } = await created("--name", LITERAL, "--role", role);
      expect(key).toMatch(KEY);
      const text = JSON.stringify({ listen: { address: "0.0.0.0:1" }, auth: { keys: [entry] } });
      const { auth } = parseConfig(text, { file: "t.json", env: { HOME: "/x" } });
      expect(auth.keys).toEqual([{ name: LITERAL, role, hash: hashOfKey(key) }]);
    },
  );

  it.each(["x\u202ey", "\u{1f469}\u200d\u{1f467}", "\ufeffa", "a\u2028b", "\\u{41}", 'a"b'])(
    "prints an entry that can be pasted, and shows no character that reorders text: %j",
    async (name) => {
      const { out } = await outcomeOf(["key", "create", "--name", name]);
      const [, , entry = ""] = out.split("\n");
      for (const unsafe of ["\u2028", "\u202e", "\u200d", "\ufeff"])
        expect(entry).not.toContain(unsafe);
      const { auth } = parseConfig(`{"auth":{"keys":[${entry}]}}`, { file: "t.json" });
      expect(auth.keys).toMatchObject([{ name }]);
    },
  );

  it("makes another key each time", async () => {
    const keys = [await created("--name", "a"), await created("--name", "a")].map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
  });

  it.each([
    [["--name", ""], /--name/],
    [["--name", "x".repeat(129)], /--name must be 1 to 128 characters/],
    [["--name", "a\u0007"], /--name must be 1 to 128 characters/],
    [[], /--name/],
    [["--name", "a", "--role", "root"], /caller, viewer, admin/],
  ])("refuses %j", async (args, wanted) => {
    const { code, out, err } = await outcomeOf(["key", "create", ...args]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(wanted);
  });
});

it("a key works at a gateway with what its role allows", async () => {
  const roles = ["caller", "viewer", "admin"] as const;
  const made = await Promise.all(roles.map((role) => created("--name", role, "--role", role)));
  const file = join(tempDir(), "touchstone.json");
  const faulty = { command: process.execPath, args: [FAULTY_SERVER] };
  const auth = { keys: made.map(({ entry }) => entry) };
  const listen = { address: "127.0.0.1:0" };
  writeFileSync(file, JSON.stringify({ listen, auth, mcpServers: { faulty } }));
  const { seen } = touchstone(["serve", "--config", file]);
  const [, place = ""] = await seen("stderr", /ready.*listen=(\S+)/);
  const status = async (path: string, key: string, init: RequestInit = {}): Promise<number> => {
    const headers = { "x-api-key": key, "content-type": "application/json" };
    return (await fetch(`http://${place}${path}`, { ...init, headers })).status;
  };
  const patch = { method: "PATCH", body: '{"input":"strict"}' };
  const found = [];
  for (const { key } of made) {
    found.push([
      await status("/tools", key),
      await status("/api/v1/activity", key),
      await status("/api/v1/modes", key, patch),
    ]);
  }
  expect(found).toEqual([
    [200, 403, 403],
    [200, 200, 403],
    [200, 200, 200],
  ]);
  expect(await status("/tools", `${made[0]?.key}x`)).toBe(401);
});
