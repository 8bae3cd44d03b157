import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildRecord } from "../build.ts";
import { CHAIN_START, sealRecord } from "../chain.ts";
import { nextId } from "../ids.ts";
import { openActivityReader, openActivityStore } from "../open-sqlite.ts";
import type { ActivityEntry, ActivityRecord } from "../record.ts";
import { connect } from "../sqlite/connection.ts";
import { CALL, filter } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { verifyActivity } from "../verify/verify.ts";
import { decodeBatches } from "./batches.ts";
import { createRecordTable } from "./record-table.ts";

const CHAIN = "CHAIN";
const NOW = new Date("2026-08-31T09:00:00.000Z");

function sealed(entries: readonly ActivityEntry[]): readonly ActivityRecord[] {
  let head = CHAIN_START;
  return entries.map((entry) => {
    const named = { request_id: nextId(NOW), ...entry };
    const record = sealRecord(head, buildRecord(named, nextId(NOW), NOW, { maxBytes: 100 }));
    head = record.hash;
    return record;
  });
}

/** Returns lines of that many records each, as in a journal. */
function linesOf(texts: readonly string[], size: number): Buffer {
  const lines: string[] = [];
  for (let at = 0; at < texts.length; at += size) {
    lines.push(`${at} [${texts.slice(at, at + size).join(",")}]\n`);
  }
  return Buffer.from(lines.join(""));
}

async function emptyDatabase() {
  const dataDir = tempDir();
  await (await openActivityStore({ dataDir, sync: "normal" })).close();
  const db = connect(join(dataDir, "activity.db"), "write");
  const table = createRecordTable(db);
  return {
    db,
    add: (lines: Buffer) => table.add(CHAIN, [...decodeBatches(lines)]),
    async reader() {
      const reader = await openActivityReader({ dataDir });
      if (reader === undefined) throw new Error(`nothing was recorded in ${dataDir}`);
      return reader;
    },
  };
}

const textsOf = (records: readonly ActivityRecord[]) => records.map((one) => JSON.stringify(one));
const WHOLE: ActivityEntry = { ...CALL, bytes_in: 139, bytes_out: 1049, duration_ms: 0.587 };

const entry: fc.Arbitrary<ActivityEntry> = fc.record(
  {
    type: fc.constantFrom("tool_call" as const, "policy_decision" as const),
    source: fc.constant("gateway" as const),
    server: fc.constantFrom("a", 'é"€\u0000b', "12"),
    tool: fc.constantFrom("x", "y"),
    status: fc.constantFrom("success" as const, "warning" as const),
    reason: fc.constantFrom("often", fc.sample(fc.string(), 1)[0] ?? ""),
    issues: fc.constantFrom([], [{ path: "/é", message: "'m'", rule: "extra" as const }]),
    session: fc.constantFrom("abc", `sha256:${"a".repeat(64)}`, `sha256:${"b".repeat(64)}`),
    request_id: fc.oneof(fc.constant("r1"), fc.string()),
    bytes_in: fc.nat(),
    bytes_out: fc.nat(),
    duration_ms: fc.oneof(
      fc.nat().map((n) => n / 1000),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
    result: fc.json().map((json) => Buffer.from(json)),
  },
  { requiredKeys: ["type", "source"] },
);

describe("sealed records", () => {
  it("are inserted unchanged and in order", async () => {
    const { db, add, reader } = await emptyDatabase();
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 30, maxLength: 100 }),
        fc.integer({ min: 1, max: 30 }),
        async (entries, size) => {
          db.exec("DELETE FROM activity; DELETE FROM chains");
          const records = sealed(entries);
          add(linesOf(textsOf(records), size));
          const activity = await reader();
          expect(await activity.readChain(CHAIN)).toEqual(records);
          const inOrder = db.prepare("SELECT id FROM activity ORDER BY rowid").all([]);
          expect(inOrder).toEqual(records.map(({ id }) => ({ id })));
          expect(await verifyActivity(activity)).toMatchObject({ ok: true });
          for (const type of ["tool_call", "policy_decision"]) {
            const { total } = await activity.list(filter({ type, server: "a" }));
            const ofType = records.filter((one) => one.type === type && one.server === "a");
            expect(total).toBe(ofType.length);
          }
          await activity.close();
        },
      ),
      { numRuns: 25 },
    );
    db.close();
  });
});

describe("records of many kinds", () => {
  it("are inserted unchanged, each with what its kind has in common", async () => {
    const { db, add, reader } = await emptyDatabase();
    // More tools than kinds that the connection keeps, each of them several times.
    const entries = Array.from({ length: 900 }, (_, i) => ({
      ...WHOLE,
      tool: `tool ${i % 300}`,
      bytes_in: i % 7 === 0 ? undefined : i,
      duration_ms: i % 5 === 0 ? 1 / 3 : i / 1000,
    }));
    const records = sealed(entries);
    add(linesOf(textsOf(records), 250));
    const activity = await reader();
    expect(await activity.readChain(CHAIN)).toEqual(records);
    expect(await verifyActivity(activity)).toMatchObject({ ok: true });
    await activity.close();
    db.close();
  });
});

describe("a record that the database rejects", () => {
  it.each([
    [
      "its id is another's",
      (text: string, [first]: readonly ActivityRecord[]) =>
        text.replace(/"id":"[^"]*"/, `"id":"${first?.id}"`),
    ],
    ["its moment is none", (text: string) => text.replace(/"time":"2026-08/, '"time":"2026-13')],
  ])("is left out alone: %s", async (_what, damage) => {
    const { db, add, reader } = await emptyDatabase();
    const records = sealed(Array.from({ length: 40 }, () => WHOLE));
    const texts = textsOf(records).map((text, i) => (i === 30 ? damage(text, records) : text));
    add(linesOf(texts, 5));
    const activity = await reader();
    const kept = records.filter((_record, i) => i !== 30);
    expect(await activity.readChain(CHAIN)).toEqual(kept);
    expect(await activity.list(filter({ type: "tool_call", limit: "1" }))).toMatchObject({
      total: 39,
    });
    const report = await verifyActivity(activity);
    expect(report.faults).toMatchObject([{ kind: "removed", position: 30 }]);
    await activity.close();
    db.close();
  });
});

describe("a failed transaction", () => {
  it("can be retried", async () => {
    const { db, add, reader } = await emptyDatabase();
    const records = sealed(Array.from({ length: 40 }, () => WHOLE));
    const lines = linesOf(textsOf(records), 5);
    // The last step of a transaction fails after all records were inserted.
    db.exec("ALTER TABLE tally RENAME TO away");
    expect(() => add(lines)).toThrow(/no such table.*tally/);
    db.exec("ALTER TABLE away RENAME TO tally");
    add(lines);
    const activity = await reader();
    expect(await activity.readChain(CHAIN)).toEqual(records);
    expect((await activity.summary({})).records).toBe(40);
    await activity.close();
    db.close();
  });
});
