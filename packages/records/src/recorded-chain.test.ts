import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CHAIN_START, sealRecord, verifyChain } from "./chain.ts";
import { openActivityReader, openActivityStore } from "./open-sqlite.ts";
import type { ActivityRecord } from "./record.ts";
import { recorded, tamper, verified } from "./testing/recorded.ts";
import { tempDir } from "./testing/temp-dir.ts";

/**
 * The journal of a chain in the format of the first releases: each field is set in some records and missing in
 * others.
 */
const JOURNAL = join(import.meta.dirname, "testing/chain.jsonl");
const CHAIN = "01K8V4WJ0TAVB3ZXQ8ZSN4R6PX";
const records = readFileSync(JOURNAL, "utf8")
  .trimEnd()
  .split("\n")
  .flatMap((line) => JSON.parse(line.slice(line.indexOf(" "))) as ActivityRecord[]);

it("still has the same hashes", () => {
  expect(verifyChain(records)).toEqual({ ok: true, head: records.at(-1)?.hash });
  let head = CHAIN_START;
  for (const { hash, prev_hash: _, ...unsealed } of records) {
    head = sealRecord(head, unsealed).hash;
    expect(head).toBe(hash);
  }
});

it("is folded, read and verified unchanged", async () => {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  copyFileSync(JOURNAL, join(dataDir, `activity-${CHAIN}.0.4194304.00000000.jsonl`));
  expect(await store.readChain(CHAIN)).toEqual(records);
  await store.close();
  expect(await verified(dataDir)).toMatchObject({ ok: true, records: records.length, faults: [] });
});

it("verifies in a release that does not know one of its fields", async () => {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  const [first] = records;
  const { hash: _hash, prev_hash: _previous, ...known } = first ?? ({} as ActivityRecord);
  // A later release may use any name for a field.
  const unknown = JSON.parse(
    '{"later":{"a":[1,null]},"__proto__":{"tool":"x"},"seq":7,"chain":"x"}',
  );
  const newer = sealRecord(CHAIN_START, { ...known, ...unknown });
  const journal = join(dataDir, `activity-${CHAIN}.0.4194304.00000000.jsonl`);
  writeFileSync(journal, `0 ${JSON.stringify([newer])}\n`);
  expect(await store.readChain(CHAIN)).toEqual([newer]);
  await store.close();
  expect(await verified(dataDir)).toMatchObject({ ok: true, records: 1, faults: [] });
});

it.each([
  ["in `extra`, by a build that did not know its column", "truncated = NULL", true],
  ["in `extra` beside its column", "truncated = 3", false],
])("verifies or not with a field %s", async (_where, column, ok) => {
  const {
    dataDir,
    chain,
    records: written,
  } = await recorded([{ type: "policy_decision", source: "gateway", truncated: 3 }]);
  tamper(dataDir, `UPDATE activity SET ${column}, extra = '{"truncated":3}'`);
  expect(await verified(dataDir)).toMatchObject({ ok, records: 1 });
  const reader = await openActivityReader({ dataDir });
  if (ok) expect(await reader?.readChain(chain)).toEqual(written);
  await reader?.close();
});
