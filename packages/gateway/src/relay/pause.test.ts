import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { tempDir } from "../../../records/src/testing/temp-dir.ts";
import { MAX_PAUSE_MS, NO_PAUSES, type Pauses, readPauses, writePauses } from "./pause.ts";

const NOW = new Date("2026-08-31T09:00:00.000Z");
const after = (ms: number): Date => new Date(NOW.getTime() + ms);
const PAUSED: Pauses = {
  all: { since: NOW, until: after(60_000) },
  servers: new Map([
    ["files", { since: NOW, until: after(120_000) }],
    ["__proto__", { since: NOW, until: after(1_000) }],
  ]),
};
const time = (from: string, to: string): string =>
  JSON.stringify({ all: { since: `2026-08-31T${from}.000Z`, until: `2026-08-31T${to}.000Z` } });

let dir: string;
let file: string;
beforeEach(() => {
  dir = tempDir();
  file = join(dir, "pause.json");
});
const isPosix = process.platform !== "win32";
const isRoot = process.getuid?.() === 0;

describe("the pause file", () => {
  it("reads back as written, and only its owner can read it", () => {
    writePauses(dir, PAUSED);
    expect(readPauses(dir, NOW)).toEqual(PAUSED);
    if (isPosix) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(["pause.json"]);
  });

  it("has its directory created, and is removed when nothing is paused", () => {
    dir = join(dir, "a", "b");
    writePauses(dir, PAUSED);
    expect(readPauses(dir, NOW).all).toBeDefined();
    writePauses(dir, NO_PAUSES);
    expect(existsSync(join(dir, "pause.json"))).toBe(false);
    writePauses(dir, NO_PAUSES);
    expect(readPauses(dir, NOW)).toEqual(NO_PAUSES);
  });

  it.each([
    [0, 3],
    [1_000, 2],
    [59_999, 2],
    [60_000, 1],
    [120_000, 0],
    // A clock that was set back by far would make it longer.
    [-59_000, 3],
    [-61_000, 0],
  ])("ends each pause on time: after %i ms %i remain", (ms, count) => {
    writePauses(dir, PAUSED);
    const { all, servers, ...rest } = readPauses(dir, after(ms));
    expect((all === undefined ? 0 : 1) + servers.size).toBe(count);
    expect(rest).toEqual({});
  });

  it.each([
    "",
    "null",
    "[]",
    "{",
    "{}{}",
    '{"all":true}',
    '{"all":null}',
    '{"servers":[]}',
    '{"servers":{"a":null}}',
    '{"al":{}}',
    '{"all":{"since":"2026-08-31T09:00:00.000Z"}}',
    '{"all":{"since":"2026-08-31T09:00:00.000Z","until":1788253200000}}',
    '{"all":{"since":"2026-08-31T09:00:00.000Z","until":"tomorrow"}}',
    '{"all":{"since":"2026-08-31T09:00:00.000Z","until":"2026-08-31T10:00:00+01:00"}}',
    `{"all":{"since":"2026-08-31T09:00:00.000Z","until":"${after(MAX_PAUSE_MS + 1).toISOString()}"}}`,
    time("10:00:00", "09:00:00"),
    time("09:00:00", "09:00:00"),
    `${time("08:00:00", "10:00:00").slice(0, -1)},"mode":"off"}`,
    `${time("08:00:00", "10:00:00")}${" ".repeat(1_048_576)}`,
  ])("is ignored if it has other content: %#", (text) => {
    writeFileSync(file, text, { mode: 0o600 });
    const { fault, ...pauses } = readPauses(dir, NOW);
    expect(pauses).toEqual(NO_PAUSES);
    expect(fault).toMatch(/pause\.json is ignored: it is (?:not what|too large)/);
  });

  const unsafe: readonly (readonly [string, string, () => void])[] = [
    [
      "is a link",
      "it is a link",
      () => {
        renameSync(file, join(dir, "other.json"));
        symlinkSync("other.json", file);
      },
    ],
    [
      "is a directory",
      "it is not a file",
      () => {
        renameSync(file, join(dir, "other.json"));
        execFileSync("mkdir", [file]);
      },
    ],
    [
      "is a pipe that nobody writes",
      "it is not a file",
      () => {
        renameSync(file, join(dir, "other.json"));
        execFileSync("mkfifo", [file]);
      },
    ],
    ["may be written by the group", "other users may write", () => chmodSync(file, 0o660)],
    ["may be written by anybody", "other users may write", () => chmodSync(file, 0o602)],
    [
      "is in a directory that others may write",
      "other users may write",
      () => chmodSync(dir, 0o777),
    ],
  ];
  it.runIf(isPosix).each(unsafe)("is ignored if it %s", (_, reason, change) => {
    writePauses(dir, PAUSED);
    change();
    const { fault, ...pauses } = readPauses(dir, NOW);
    expect(pauses).toEqual(NO_PAUSES);
    expect(fault).toContain(reason);
  });

  it.runIf(isRoot).each([
    ["the file", () => file],
    ["the directory", () => dir],
  ])("is ignored if another user owns %s", (_, path) => {
    writePauses(dir, PAUSED);
    chownSync(path(), 65_534, 65_534);
    const { fault, ...pauses } = readPauses(dir, NOW);
    expect(pauses).toEqual(NO_PAUSES);
    expect(fault).toContain("belongs to another user");
  });

  it.runIf(isRoot)("is ignored if it cannot be read", () => {
    writePauses(dir, PAUSED);
    process.seteuid?.(65_534);
    try {
      const { fault, ...pauses } = readPauses(dir, NOW);
      expect(pauses).toEqual(NO_PAUSES);
      expect(fault).toMatch(/is ignored: /);
    } finally {
      process.seteuid?.(0);
    }
  });

  it.runIf(isPosix)("is not written if gateways would ignore it", () => {
    chmodSync(dir, 0o777);
    expect(() => writePauses(dir, PAUSED)).toThrow("other users may write");
    expect(readdirSync(dir)).toEqual([]);
  });

  it("replaces an ignored file", () => {
    writeFileSync(file, "{", { mode: 0o600 });
    writePauses(dir, PAUSED);
    expect(JSON.parse(readFileSync(file, "utf8"))).toHaveProperty("all");
  });
});
