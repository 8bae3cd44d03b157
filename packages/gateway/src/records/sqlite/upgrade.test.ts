import { join } from "node:path";
import { SchemaCache } from "@touchstone/core";
import Database from "libsql";
import { expect, it } from "vitest";
import { ToolContract } from "../../contracts/contract.ts";
import type { ActivityEntry, ActivityReader } from "../index.ts";
import { filter } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { verifyActivity } from "../verify/verify.ts";
import { SCHEMA_VERSION, STEPS } from "./migrations.ts";
import { DATABASE_FILE, openActivityReader, openActivityStore } from "./open.ts";

const ISSUE = { path: "/é", message: "must be string", rule: "type" } as const;
const ENTRIES: readonly ActivityEntry[] = [
  { type: "system_start", source: "gateway", reason: "wrap" },
  { type: "tool_call", source: "gateway", server: "s", tool: "天", status: "success" },
  {
    type: "policy_decision",
    source: "gateway",
    server: "s",
    tool: "t",
    direction: "input",
    mode: "strict",
    decision: "blocked",
    status: "blocked",
    outcome: "violation",
    issues: [ISSUE, { ...ISSUE, rule: "extra" }],
    request_id: "1",
  },
  { type: "tool_call", source: "gateway", server: "s", tool: "t", status: "blocked" },
];
const SCOPE = { server: "s", revision: "2025-11-25", authorization: "" };
const cache = new SchemaCache();
const contract = (schema: string): ToolContract =>
  new ToolContract({ name: "t", inputSchema: Buffer.from(schema) }, cache);

const columnsOf = (db: Database.Database, table: string): readonly string[] =>
  (
    db.prepare(`SELECT name FROM pragma_table_info('${table}', 'main')`).all([]) as {
      name: string;
    }[]
  ).map(({ name }) => name);

/** What the rows of a table were, where they stand in it no longer. */
const CONTRACTS = `SELECT server, revision, authorization, tool, i.hash AS input_hash,
    o.hash AS output_hash, i.text AS input_schema, o.text AS output_schema, list_scopes.since
  FROM today.list_scopes JOIN today.list_tools USING (list)
  LEFT JOIN today.schemas i ON i.id = input LEFT JOIN today.schemas o ON o.id = output`;
const ROWS = { activity: "SELECT * FROM today.activity", contracts: CONTRACTS };

/** A data directory as the release of a layout has left it, with the rows of one of today. */
function leftBy(version: number, today: string): string {
  const dataDir = tempDir();
  const db = new Database(join(dataDir, DATABASE_FILE));
  // Rows come before the steps that count them.
  const copied = new Set<string>();
  db.exec(`ATTACH DATABASE '${join(today, DATABASE_FILE).replaceAll("'", "''")}' AS today`);
  for (const step of STEPS.slice(0, version)) {
    db.exec(step);
    for (const [table, rows] of Object.entries(ROWS)) {
      const columns = columnsOf(db, table).join(", ");
      if (columns === "" || copied.has(table)) continue;
      copied.add(table);
      db.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM (${rows}) ORDER BY 1`);
    }
  }
  db.exec(`PRAGMA user_version = ${version}`);
  db.close();
  return dataDir;
}

async function seen(reader: ActivityReader) {
  const { ok, records, faults, store_faults } = await verifyActivity(reader);
  const { activities } = await reader.list(filter());
  const { since: _since, until: _until, ...summary } = await reader.summary({});
  return { ok, records, faults, store_faults, activities, summary };
}

const LAYOUTS = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);

it.each(LAYOUTS)("records and contracts of layout %i are those that they were", async (version) => {
  const today = tempDir();
  const first = await openActivityStore({ dataDir: today, sync: "normal" });
  await first.append(ENTRIES);
  await first.contracts.replace(SCOPE, [contract("{}")]);
  const before = await seen(first);
  await first.close();
  expect(before).toMatchObject({ ok: true, records: 4, activities: { length: 4 } });

  const dataDir = leftBy(version, today);
  const reader = await openActivityReader({ dataDir });
  expect(reader && (await seen(reader))).toEqual(before);
  await reader?.close();

  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append([{ type: "tool_call", source: "gateway", server: "s", tool: "t" }]);
  const changes = await store.contracts.replace(SCOPE, [contract("true")]);
  expect(changes).toMatchObject(version === 1 ? [] : [{ tool: "t", kind: "input" }]);
  expect(await seen(store)).toMatchObject({ ok: true, records: 5, activities: { length: 5 } });
  await store.close();
});
