import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DATABASE_FILE, openPruner } from "../open-sqlite.ts";
import { CALL } from "../testing/fixtures.ts";
import { forge, recorded, tamper, verified } from "../testing/recorded.ts";

const BLOCKED = {
  ...CALL,
  type: "policy_decision",
  decision: "blocked",
  issues: [
    { path: "/a", message: "must be a number", rule: "type" },
    { path: "/b", message: "is not declared", rule: "extra" },
  ],
} as const;

const twenty = () => recorded(Array.from({ length: 20 }, () => CALL));

describe("a row inserted at a position that never existed", () => {
  it.each([
    ["before the first position", "-1"],
    ["far before it", "-9223372036854775807"],
    ["behind the end, with a gap", "10000"],
    ["at the last position that there can be", "9223372036854775807"],
  ])("is detected %s", async (_where, seq) => {
    const { dataDir, records } = await twenty();
    const id = forge(dataDir, records[19], seq);
    expect((await verified(dataDir)).faults).toMatchObject([{ kind: "inserted", id }]);
  });

  it("is detected in addition to a removed end", async () => {
    const { dataDir, records } = await twenty();
    const id = forge(dataDir, records[19], "10000");
    tamper(dataDir, "DELETE FROM activity WHERE seq BETWEEN 15 AND 19");
    expect((await verified(dataDir)).faults).toMatchObject([
      { kind: "inserted", id },
      { kind: "removed", position: 15, until: 20 },
    ]);
  });
});

describe("a chain's row", () => {
  it.each([
    ["fewer records", "records = 15", /counts 15 records, and there are 20/],
    ["no records", "records = 0", /counts 0 records, and there are 20/],
    ["more removed than there were", "pruned = 30, pruned_hash = head", /removed 30/],
    ["one more removed than there were", "pruned = 21, pruned_hash = head", /removed 21/],
    ["a head that retention has removed and that is not the last", "pruned = 20", /removed last/],
  ])("is detected if it claims %s", async (what, change, message) => {
    const { dataDir } = await twenty();
    if (what.includes("removed")) tamper(dataDir, "DELETE FROM activity");
    tamper(dataDir, `UPDATE chains SET ${change}`);
    const { faults } = await verified(dataDir);
    expect(faults).toMatchObject([{ message: expect.stringMatching(message), id: null }]);
  });

  it.each([
    ["before anything was removed", 0, "'01M8JZDB2QAMWC3H8QMZ0BHM7Z'"],
    ["that is not an id", 3, "pruned_id || 'x'"],
    ["of a record that is still there", 3, "(SELECT id FROM activity WHERE seq = 3)"],
    ["of a later record", 3, "'7ZZZZZZZZZZZZZZZZZZZZZZZZZ'"],
  ])("is detected if it names a removed record %s", async (_, removed, id) => {
    const { dataDir, records } = await twenty();
    if (removed > 0) {
      const pruner = await openPruner(join(dataDir, DATABASE_FILE));
      await pruner.prune({ maxRecords: records.length - removed });
      await pruner.close();
    }
    expect(await verified(dataDir)).toMatchObject({ ok: true });
    tamper(dataDir, `UPDATE chains SET pruned_id = ${id} WHERE head IS NOT NULL`);
    expect((await verified(dataDir)).faults).toMatchObject([
      { kind: "edited", message: expect.stringMatching(/cannot have removed last/) },
    ]);
  });

  it("is detected if time filters would miss records because of it", async () => {
    let now = Date.parse("2026-08-31T09:00:00Z");
    const { dataDir } = await recorded([CALL, CALL], () => {
      now -= 60_000;
      return new Date(now);
    });
    expect(await verified(dataDir)).toMatchObject({ ok: true });
    tamper(dataDir, "UPDATE chains SET skew_ms = 1000");
    expect((await verified(dataDir)).faults).toMatchObject([{ kind: "edited", position: 1 }]);
  });
});

describe("the rules column", () => {
  it.each([["NULL"], ["'type'"], ["'extra,type,format'"], ["''"]])(
    "is detected if it became %s",
    async (rules) => {
      const { dataDir, records } = await recorded([CALL, BLOCKED, CALL]);
      tamper(dataDir, `UPDATE activity SET rules = ${rules} WHERE seq = 1`);
      expect((await verified(dataDir)).faults).toMatchObject([
        { kind: "edited", position: 1, id: records[1]?.id },
      ]);
    },
  );

  it("may be in the order of the issues, as an early upgrade wrote it", async () => {
    const { dataDir } = await recorded([BLOCKED]);
    tamper(dataDir, "UPDATE activity SET rules = 'type,extra'");
    expect(await verified(dataDir)).toMatchObject({ ok: true });
    tamper(dataDir, "UPDATE activity SET rules = 'extra,type'");
    expect(await verified(dataDir)).toMatchObject({ ok: true });
  });
});
