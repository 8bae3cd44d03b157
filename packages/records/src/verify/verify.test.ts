import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import fc from "fast-check";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { CHAIN_START, sealRecord } from "../chain.ts";
import { openActivityReader, openActivityStore, openPruner } from "../open-sqlite.ts";
import type { ActivityRecord } from "../record.ts";
import { CALL } from "../testing/fixtures.ts";
import { forge, type Recorded, recorded, tamper, verified } from "../testing/recorded.ts";
import { checkpointStatement, openCheckpoint, signCheckpoint } from "./checkpoint.ts";
import type { VerifyReport } from "./verify.ts";

/** Successful calls of `t0`, `t1`, … by one process. */
const calls = (count: number): Promise<Recorded> =>
  recorded(
    Array.from({ length: count }, (_, n) => ({ ...CALL, tool: `t${n}`, status: "success" })),
  );

/** Changes the content of a record and updates its hash. */
function rewrite(
  dataDir: string,
  record: ActivityRecord,
  changes: Partial<ActivityRecord>,
): string {
  const { hash: _, prev_hash, ...rest } = { ...record, ...changes };
  const sealed = sealRecord(prev_hash, rest);
  tamper(
    dataDir,
    `UPDATE activity SET tool = '${sealed.tool}', hash = '${sealed.hash}' WHERE id = '${record.id}'`,
  );
  return sealed.hash;
}

const swap = (a: number, b: number): string[] => [
  `UPDATE activity SET seq = -1 WHERE seq = ${a}`,
  `UPDATE activity SET seq = ${a} WHERE seq = ${b}`,
  `UPDATE activity SET seq = ${b} WHERE seq = -1`,
];

/** Moves a record to another position and renumbers those in between. */
const move = (from: number, to: number): string[] => {
  const [low, high, by] = from < to ? [from + 1, to, -1] : [to, from - 1, 1];
  return [
    `UPDATE activity SET seq = -1 WHERE seq = ${from}`,
    `UPDATE activity SET seq = -(seq + 1000000) WHERE seq BETWEEN ${low} AND ${high}`,
    `UPDATE activity SET seq = -seq - 1000000 + ${by} WHERE seq < -1`,
    `UPDATE activity SET seq = ${to} WHERE seq = -1`,
  ];
};

describe("verifyActivity", () => {
  it("finds nothing wrong in an untouched store, over many pages and chains", async () => {
    const { dataDir } = await calls(1203);
    const store = await openActivityStore({ dataDir, sync: "normal" });
    await store.append([CALL]);
    const steps: number[] = [];
    const report = await verified(dataDir, { onProgress: (done) => steps.push(done) });
    expect(report).toMatchObject({ ok: true, chains: 2, records: 1204, faults: [], pruned: 0 });
    expect(steps).toEqual([1000]);
    await store.close();
  });

  it.each([
    ["an edited field", 7, ["UPDATE activity SET status = 'blocked' WHERE seq = 7"], "edited"],
    ["edited issues", 7, ["UPDATE activity SET issues = '[' WHERE seq = 7"], "edited"],
    ["an edited hash", 7, ["UPDATE activity SET hash = 'x' WHERE seq = 7"], "edited"],
    ["an edited link", 7, ["UPDATE activity SET prev_hash = 'x' WHERE seq = 7"], "edited"],
    [
      "an edited last record",
      1199,
      ["UPDATE activity SET mode = 'off' WHERE seq = 1199"],
      "edited",
    ],
  ])("names exactly the record whose %s changed", async (_name, position, statements, kind) => {
    const { dataDir, records, chain } = await calls(1200);
    tamper(dataDir, ...statements);
    const { faults } = await verified(dataDir);
    expect(faults).toMatchObject([{ chain, kind, position, id: records[position]?.id }]);
  });

  it.each([
    ["a swap", swap(7, 8), [[8, 7]]],
    ["a swap of the first two", swap(0, 1), [[1, 0]]],
    ["a swap of the last two", swap(1198, 1199), [[1199, 1198]]],
    [
      "a swap over a distance",
      swap(600, 640),
      [
        [600, 640],
        [640, 600],
      ],
    ],
    ["a record that was moved back", move(600, 640), [[640, 600]]],
    ["a record that was moved forward", move(640, 600), [[600, 640]]],
  ])("names exactly the records of %s", async (_name, statements, expected) => {
    const { dataDir, records, chain } = await calls(1200);
    tamper(dataDir, ...statements);
    const { faults } = await verified(dataDir);
    expect(faults).toMatchObject(
      expected.map(([position, at = 0]) => ({
        chain,
        kind: "reordered",
        position,
        id: records[at]?.id,
      })),
    );
  });

  it.each([
    ["the first", [0], 0, 1],
    ["one", [7], 7, 8],
    ["a stretch", [498, 499, 500, 501], 498, 502],
    ["the last ones", [1198, 1199], 1198, 1200],
  ])("names the position of %s", async (_name, gone, position, until) => {
    const { dataDir, chain } = await calls(1200);
    tamper(dataDir, `DELETE FROM activity WHERE seq IN (${gone.join()})`);
    expect((await verified(dataDir)).faults).toMatchObject([
      { chain, kind: "removed", position, until, id: null },
    ]);
  });

  it("names the position of a removed record even if the rest was renumbered", async () => {
    const { dataDir, records } = await calls(20);
    tamper(dataDir, "DELETE FROM activity WHERE seq = 7");
    for (let seq = 8; seq < 20; seq += 1) {
      tamper(dataDir, `UPDATE activity SET seq = ${seq - 1} WHERE seq = ${seq}`);
    }
    tamper(dataDir, "UPDATE chains SET records = 19");
    expect((await verified(dataDir)).faults).toMatchObject([
      { kind: "unlinked", position: 7, id: records[8]?.id },
    ]);
  });

  it("names an inserted record", async () => {
    const { dataDir, records } = await calls(20);
    for (let seq = 19; seq >= 7; seq -= 1) {
      tamper(dataDir, `UPDATE activity SET seq = ${seq + 1} WHERE seq = ${seq}`);
    }
    const before = records[6];
    if (before === undefined) throw new Error("no record");
    const id = forge(dataDir, before, 7);
    expect((await verified(dataDir)).faults).toMatchObject([{ kind: "inserted", position: 7, id }]);
  });

  it("names a record that was added at the end", async () => {
    const { dataDir, records } = await calls(3);
    const last = records[2];
    if (last === undefined) throw new Error("no record");
    const id = forge(dataDir, last, 3);
    expect((await verified(dataDir)).faults).toMatchObject([{ kind: "inserted", position: 3, id }]);
  });

  it("detects a rewritten record with a new hash, by the next record or as the last", async () => {
    const { dataDir, records } = await calls(20);
    const [middle, last] = [records[7], records[19]];
    if (middle === undefined || last === undefined) throw new Error("no records");
    rewrite(dataDir, middle, { tool: "other" });
    rewrite(dataDir, last, { tool: "other" });
    expect((await verified(dataDir)).faults).toMatchObject([
      { kind: "unlinked", position: 8, id: records[8]?.id },
      { kind: "edited", position: 19, id: last.id },
    ]);
  });

  it("detects a chain without a start", async () => {
    const { dataDir } = await calls(3);
    tamper(dataDir, "DELETE FROM chains");
    expect((await verified(dataDir)).faults).toMatchObject([{ kind: "unknown" }]);
  });

  it("detects any single change of any stored field", async () => {
    const { dataDir, records } = await calls(30);
    const fields = ["time", "type", "server", "tool", "reason", "hash", "prev_hash", "arguments"];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fields), fc.nat(29), async (field, seq) => {
        const db = new Database(join(dataDir, "activity.db"));
        const [row] = db.prepare(`SELECT ${field} AS old FROM activity WHERE seq = ?`).all([seq]);
        const put = db.prepare(`UPDATE activity SET ${field} = ? WHERE seq = ?`);
        put.run(["changed", seq]);
        const { faults } = await verified(dataDir);
        put.run([(row as { old: string | null }).old, seq]);
        db.close();
        expect(faults).toMatchObject([{ kind: "edited", id: records[seq]?.id, position: seq }]);
      }),
      { numRuns: 25 },
    );
  });

  it("continues after pruned records, and detects a forged pruning note", async () => {
    const { dataDir, records } = await calls(300);
    const pruner = await openPruner(join(dataDir, "activity.db"));
    expect(await pruner.prune({ maxRecords: 50 })).toEqual({ removed: 250 });
    await pruner.close();
    expect(await verified(dataDir)).toMatchObject({ ok: true, records: 50, pruned: 250 });
    tamper(dataDir, "DELETE FROM activity WHERE seq = 250; UPDATE chains SET pruned = 251");
    expect((await verified(dataDir)).faults).toMatchObject([
      { kind: "unlinked", id: records[251]?.id },
    ]);
  });
});

describe("a checkpoint", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });

  async function checkpoint(dataDir: string) {
    const reader = await openActivityReader({ dataDir });
    if (reader === undefined) throw new Error("no records");
    const signed = signCheckpoint(await checkpointStatement(reader, new Date(0)), privateKey);
    await reader.close();
    return signed;
  }

  it("detects a removed end even if the chain's row was adapted", async () => {
    const { dataDir, records, chain } = await calls(20);
    const statement = openCheckpoint(JSON.stringify(await checkpoint(dataDir)), publicKey);
    expect(await verified(dataDir, { checkpoint: statement })).toMatchObject({ ok: true });
    tamper(
      dataDir,
      `DELETE FROM activity WHERE seq >= 15; UPDATE chains SET records = 15, head = '${records[14]?.hash}'`,
    );
    expect(await verified(dataDir)).toMatchObject({ ok: true, records: 15 });
    expect((await verified(dataDir, { checkpoint: statement })).faults).toMatchObject([
      { kind: "checkpoint", chain, position: 15, message: expect.stringContaining("20 records") },
    ]);
  });

  it("detects a chain that was rewritten from the start, and a missing one", async () => {
    const { dataDir, records } = await calls(2);
    const statement = openCheckpoint(JSON.stringify(await checkpoint(dataDir)), publicKey);
    let head = CHAIN_START;
    for (const { hash: _, prev_hash: __, ...content } of records) {
      const sealed = sealRecord(head, { ...content, reason: "other" });
      tamper(
        dataDir,
        `UPDATE activity SET reason = 'other', hash = '${sealed.hash}', prev_hash = '${head}' WHERE id = '${sealed.id}'`,
      );
      head = sealed.hash;
    }
    tamper(dataDir, `UPDATE chains SET head = '${head}'`);
    expect((await verified(dataDir)).ok).toBe(true);
    expect((await verified(dataDir, { checkpoint: statement })).faults).toMatchObject([
      { kind: "checkpoint", position: 1, id: records[1]?.id },
    ]);
    tamper(dataDir, "DELETE FROM activity; DELETE FROM chains");
    expect((await verified(dataDir, { checkpoint: statement })).faults).toMatchObject([
      { kind: "checkpoint", message: expect.stringContaining("whole chain is missing") },
    ]);
  });

  it("is compared up to its head if retention removed records, and not beyond", async () => {
    const { dataDir, chain } = await calls(20);
    const statement = openCheckpoint(JSON.stringify(await checkpoint(dataDir)), publicKey);
    const store = await openActivityStore({ dataDir, sync: "normal" });
    await store.append([CALL]);
    await store.close();
    const prune = async (maxRecords: number): Promise<VerifyReport> => {
      const pruner = await openPruner(join(dataDir, "activity.db"));
      await pruner.prune({ maxRecords });
      await pruner.close();
      return verified(dataDir, { checkpoint: statement });
    };
    expect(await prune(11)).toMatchObject({ ok: true, not_comparable: [] });
    expect(await prune(1)).toMatchObject({ ok: true, not_comparable: [] });
    tamper(dataDir, `UPDATE chains SET pruned_hash = 'x' WHERE chain = '${chain}'`);
    expect((await verified(dataDir, { checkpoint: statement })).ok).toBe(false);
  });

  it("is refused if it was changed, signed by another key, or is invalid", async () => {
    const { dataDir } = await calls(1);
    const signed = await checkpoint(dataDir);
    const changed = { ...signed, statement: { ...signed.statement, time: "2026" } };
    const other = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" });
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({
      type: "spki",
      format: "pem",
    });
    const open = (text: string, key: string) => () => openCheckpoint(text, key);
    const text = JSON.stringify(signed);
    expect(open(JSON.stringify(changed), publicKey)).toThrow("was changed after");
    const unpaired = { ...signed, statement: { ...signed.statement, time: "\ud800" } };
    expect(open(JSON.stringify(unpaired), publicKey)).toThrow("is not a checkpoint");
    const named = { ...signed, key: `sha256:${"0".repeat(64)}` };
    expect(open(JSON.stringify(named), publicKey)).toThrow("names another key than the one");
    const [first] = signed.statement.chains;
    for (const records of [0, 2]) {
      const chains = [{ ...first, records }];
      const ranged = { ...signed, statement: { ...signed.statement, chains } };
      expect(open(JSON.stringify(ranged), publicKey)).toThrow("was changed after");
    }
    const flipped = `${signed.signature.startsWith("A") ? "B" : "A"}${signed.signature.slice(1)}`;
    const forged = { ...signed, signature: flipped };
    expect(open(JSON.stringify(forged), publicKey)).toThrow("was changed after");
    expect(open(text, String(other))).toThrow("another key");
    expect(open(text, String(rsa))).toThrow("not an Ed25519 key");
    expect(open(text, "")).toThrow("not an Ed25519 key");
    for (const none of ["", "{", "[]", '{"statement":{}}', "null"]) {
      expect(open(none, publicKey)).toThrow("is not a checkpoint");
    }
  });
});
