import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeUtf8 } from "@touchstone/core/advanced";
import {
  type LockedServer,
  lockedDefinition,
  readLock,
  writeLock,
} from "@touchstone/protocol/lock";
import { expect, it, onTestFinished } from "vitest";
import { eachOf } from "../../../../core/src/testing/sample.ts";
import { readLocked } from "./read-lock.ts";

function definitions(count: number) {
  return new Map(
    Array.from({ length: count }, (_, i) => {
      const source = JSON.stringify({ name: `t${i}`, description: "d".repeat(400), n: 1.5 });
      return [
        `t${i}`,
        lockedDefinition(source) as NonNullable<ReturnType<typeof lockedDefinition>>,
      ];
    }),
  );
}

const SERVER: LockedServer = {
  ...{ identity: { name: "s", version: "1" }, protocolVersion: "2025-11-25" },
  ...{ instructions: "be kind", tools: definitions(900), prompts: definitions(3) },
};

function lockFile(text: string): readonly [string, number] {
  const directory = mkdtempSync(join(tmpdir(), "touchstone-lock-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "touchstone.lock");
  writeFileSync(path, text);
  return [path, encodeUtf8(text).length];
}

const TEXT = writeLock({ servers: new Map([["s", SERVER]]) });

it.each(["here", "on a thread"])("reads what a file has of a server %s", async (where) => {
  const [path, size] = lockFile(TEXT);
  expect(size).toBeGreaterThan(131_072);
  const shown = where === "here" ? 1 : size;
  const read = readLock(TEXT);
  expect(await readLocked(path, "s", shown)).toEqual(read.ok && read.lock.servers.get("s"));
  expect(await readLocked(path, "other", shown)).toBeUndefined();
});

eachOf(["here", "on a thread"], 1)("says what is wrong with a file, read %s", async (where) => {
  const [path, size] = lockFile(TEXT.replace('"description": "ddd', '"description": "ddx'));
  const read = readLocked(path, "s", where === "here" ? 1 : size);
  await expect(read).rejects.toThrow(/touchstone\.lock/);
  await expect(readLocked(join(path, "no"), "s", size)).rejects.toThrow(/ENOTDIR|ENOENT/);
});
