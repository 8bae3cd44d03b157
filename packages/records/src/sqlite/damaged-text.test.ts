import { join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { exportActivity } from "../export/export.ts";
import { openActivityReader, openActivityStore, openPruner } from "../open-sqlite.ts";
import { CALL, filter } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { verifyActivity } from "../verify/verify.ts";

/** Every text of a record. */
const COLUMNS = [
  "id",
  "time",
  "type",
  "source",
  "server",
  "tool",
  "direction",
  "mode",
  "decision",
  "status",
  "outcome",
  "reason",
  "issues",
  "guard",
  "schema_hash",
  "client",
  "session",
  "request_id",
  "arguments",
  "result",
  "prev_hash",
  "hash",
];

const ENTRY = {
  ...CALL,
  type: "policy_decision",
  server: "files",
  tool: "read",
  direction: "output",
  mode: "warn",
  decision: "warning",
  status: "warning",
  outcome: "violation",
  reason: "because",
  issues: [{ path: "/a", message: "must be a number", rule: "type" }],
  guard: { guard: "maxBytes", limit: 1, actual: 2 },
  schema_hash: `sha256:${"a".repeat(64)}`,
  client: "client/1.0",
  session: `sha256:${"b".repeat(64)}`,
  request_id: "R",
  arguments: Buffer.from("{}"),
  result: Buffer.from("{}"),
} as const;

async function recorded(): Promise<string> {
  const dataDir = tempDir();
  const bodies = { maxBytes: 100 };
  const store = await openActivityStore({ dataDir, sync: "normal", bodies });
  await store.append(Array.from({ length: 6 }, () => ENTRY));
  await store.close();
  return dataDir;
}

function change(dataDir: string, statement: string): void {
  const db = new Database(join(dataDir, "activity.db"));
  db.exec(statement);
  db.close();
}

async function opened(dataDir: string) {
  const reader = await openActivityReader({ dataDir });
  if (reader === undefined) throw new Error("nothing was recorded");
  return reader;
}

describe.each([
  ["no UTF-8", (column: string) => `CAST(x'ff41' || substr(${column}, 2) AS TEXT)`],
  ["cut by U+0000 for those who take it for the end", (column: string) => `${column} || x'0041'`],
])("a text that is %s", (_name, damaged) => {
  eachOf(COLUMNS, (_, i) => i % 4 === 0)(
    "is detected in %s, and does not prevent reading",
    async (column) => {
      const dataDir = await recorded();
      change(dataDir, `UPDATE activity SET ${column} = ${damaged(column)} WHERE seq = 3`);
      const reader = await opened(dataDir);
      const { faults } = await verifyActivity(reader);
      expect(faults).toMatchObject([{ kind: "edited", position: 3 }]);
      await reader.list(filter()).catch((error: unknown) => {
        expect(error).toMatchObject({ code: "RECORD_UNREADABLE" });
      });
      await reader.summary({});
      await reader.rollout({});
      await reader.repairs({});
      await reader.close();
    },
  );

  it("is followed in an id too, whether or not it is still there", async () => {
    const dataDir = await recorded();
    change(dataDir, `UPDATE activity SET id = ${damaged("id")} WHERE seq = 3`);
    const reader = await opened(dataDir);
    const all = await reader.tail(`0-0-${"0".repeat(26)}`, 4);
    expect(all.records).toHaveLength(4);
    expect(all.position).toMatch(/^0-\d+-\w+$/);
    const rest = async () => (await reader.tail(all.position, 10)).records.map(({ id }) => id);
    const behind = await rest();
    expect(behind).toHaveLength(2);
    change(dataDir, "DELETE FROM activity WHERE seq = 3");
    expect(await rest()).toEqual(behind);
    await reader.close();
  });

  it("is removed with its record, even in the name of the chain", long, async () => {
    const dataDir = await recorded();
    change(dataDir, `UPDATE activity SET chain = ${damaged("chain")} WHERE seq = 3`);
    const pruner = await openPruner(join(dataDir, "activity.db"));
    expect(await pruner.prune({ maxRecords: 1 })).toEqual({ removed: 5 });
    await pruner.close();
  });

  it("is detected in the chain's row", async () => {
    const dataDir = await recorded();
    for (const column of ["head", "chain"]) {
      change(dataDir, `UPDATE chains SET ${column} = ${damaged(column)}`);
      const reader = await opened(dataDir);
      expect(await verifyActivity(reader)).toMatchObject({ ok: false });
      await reader.close();
    }
  });
});

it("stops an export with an error if the ids are unreadable", async () => {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append(Array.from({ length: 1200 }, () => CALL));
  await store.close();
  change(dataDir, "UPDATE activity SET id = CAST(x'ff' || substr(id, 2) AS TEXT)");
  const reader = await opened(dataDir);
  let records = 0;
  const exported = async (): Promise<void> => {
    for await (const piece of exportActivity(reader, {}, "jsonl")) {
      records += piece.records;
      if (records > 2000) break;
    }
  };
  await expect(exported()).rejects.toMatchObject({ code: "RECORD_UNREADABLE" });
  await reader.close();
});

it("is distinguished from a permission error if text became bytes", async () => {
  const dataDir = await recorded();
  change(
    dataDir,
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'activity';`,
  );
  change(dataDir, "UPDATE activity SET reason = x'0041' WHERE seq = 3");
  const reader = await opened(dataDir);
  await expect(reader.list(filter())).rejects.toMatchObject({
    code: "DATABASE_UNREADABLE",
    message: expect.stringMatching(/activity\.db is damaged\. Stop what writes there/),
  });
  await reader.close();
});

it("leaves valid texts and numbers unchanged", async () => {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  const odd = 'quotes " and \\, \u0001, \u2028, é, 😀, \u007f';
  const numbers = { bytes_in: Number.MAX_SAFE_INTEGER, duration_ms: 1 / 3 };
  const [record] = await store.append([{ ...CALL, tool: odd, reason: odd, ...numbers }]);
  expect(await store.get(record?.id ?? "")).toEqual(record);
  expect((await store.summary({})).tools).toMatchObject([{ tool: odd, calls: 1 }]);
  await store.close();
});
