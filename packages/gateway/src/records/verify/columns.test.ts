import { cpSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { expect, it } from "vitest";
import { COVERAGE } from "../sql/coverage.ts";
import { partsOf, tableNames } from "../sql/tables.ts";
import { DATABASE_FILE, openActivityStore, openPruner } from "../sqlite/open.ts";
import { fillTables } from "../testing/filled.ts";
import { verified } from "../testing/recorded.ts";
import { tempDir } from "../testing/temp-dir.ts";

const COLUMNS = partsOf("sqlite")
  .filter(({ kind }) => kind === "column")
  .map(({ name }) => name.split(".") as [table: string, column: string]);

/** A data directory with rows in all tables but `version`. */
async function filled(): Promise<string> {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal", bodies: { maxBytes: 100 } });
  await fillTables(store);
  await store.close();
  const pruner = await openPruner(join(dataDir, DATABASE_FILE));
  await pruner.rollUp();
  await pruner.close();
  return dataDir;
}

/** Changes one value of a column. Returns whether there is one that can be changed. */
function change(dataDir: string, table: string, column: string): boolean {
  const db = new Database(join(dataDir, DATABASE_FILE));
  const name = `"${column}"`;
  const some = `(SELECT ${name} FROM ${table} WHERE ${name} IS NOT NULL LIMIT 1)`;
  const other = `CASE typeof(${name}) WHEN 'text' THEN ${name} || 'x'
    WHEN 'blob' THEN CAST(${name} || x'20' AS BLOB) ELSE ${name} + 7777 END`;
  try {
    return (
      db
        .prepare(
          `UPDATE ${table} SET ${name} = ${other} WHERE ${name} IS ${some} AND ${name} IS NOT NULL`,
        )
        .run([]).changes > 0
    );
  } finally {
    db.close();
  }
}

it("declares for each table what verification compares", () => {
  const tables = new Set<string>([...tableNames("sqlite"), ...tableNames("postgres")]);
  expect(Object.keys(COVERAGE).toSorted()).toEqual([...tables].toSorted());
  const both = [...partsOf("sqlite"), ...partsOf("postgres")].map(({ name }) => name);
  for (const [table, { checked, except }] of Object.entries(COVERAGE)) {
    if (checked === null) expect(except?.why, table).toBeTruthy();
    for (const column of except?.columns ?? []) expect(both).toContain(`${table}.${column}`);
  }
});

it("notices a change of each column, or names it as not covered", {
  timeout: 120_000,
}, async () => {
  const dataDir = await filled();
  const before = await verified(dataDir);
  expect(before).toMatchObject({ ok: true, store_faults: [] });
  const open = new Map(
    before.tables.map(({ table, checked, not_covered }) => [
      table,
      checked === null ? undefined : not_covered,
    ]),
  );
  const wrong: string[] = [];
  const tried = new Set<string>();
  for (const [table, column] of COLUMNS) {
    const copy = tempDir();
    cpSync(dataDir, copy, { recursive: true });
    if (!change(copy, table, column)) continue;
    tried.add(table);
    // What cannot be read at all is noticed as well.
    const isNoticed = await verified(copy).then(
      ({ ok }) => !ok,
      () => true,
    );
    const columns = open.get(table);
    const isOpen = open.has(table) && (columns === undefined || columns.includes(column));
    if (!isNoticed && !isOpen) wrong.push(`${table}.${column}`);
  }
  expect(wrong).toEqual([]);
  expect([...tried].toSorted()).toEqual(tableNames("sqlite").toSorted());
});
