import { cpSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { DATABASE_FILE, openActivityStore, openPruner } from "../open-sqlite.ts";
import { partsOf, tableNames, tablesOf } from "../sql/tables.ts";
import { fillTables, ignoreProblem } from "../testing/filled.ts";
import { CALL } from "../testing/fixtures.ts";
import { verified } from "../testing/recorded.ts";
import { tempDir } from "../testing/temp-dir.ts";

const COLUMNS = partsOf("sqlite")
  .filter(({ kind }) => kind === "column")
  .map(({ name }) => name.split(".") as [table: string, column: string]);

/**
 * A data directory with rows in all tables except `version`; the table of searched calls only has rows if there are
 * calls with bodies.
 */
async function filled(...bodies: readonly string[]): Promise<string> {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal", bodies: { maxBytes: 100 } });
  await fillTables(store);
  await store.append(bodies.map((body) => ({ ...CALL, arguments: Buffer.from(body) })));
  await store.usage();
  const pruner = await openPruner(join(dataDir, DATABASE_FILE));
  await pruner.rollUp();
  await pruner.close();
  await ignoreProblem(store);
  await store.close();
  return dataDir;
}

type Change = readonly [what: string, assignment: (name: string) => string, rows: string];

/** Changes to one row: a value of a column changes, or the row is removed or added. */
const CHANGES: readonly Change[] = [
  [
    "another value",
    (name) => `CASE typeof(${name}) WHEN 'text' THEN ${name} || 'x'
      WHEN 'blob' THEN CAST(${name} || x'20' AS BLOB) ELSE ${name} + 7777 END`,
    "IS NOT NULL",
  ],
  ["no value", () => "NULL", "IS NOT NULL"],
  ["a number", () => "7777", "IS NULL"],
  ["a text", () => "'x'", "IS NULL"],
];

/** Changes one value of a column. Returns whether the column has a value that can be changed. */
function change(dataDir: string, table: string, column: string, [, to, rows]: Change): boolean {
  const db = new Database(join(dataDir, DATABASE_FILE));
  const name = `"${column}"`;
  const keys = db
    .prepare(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0`)
    .all([]) as readonly { readonly name: string }[];
  const key = keys.length === 0 ? "rowid" : keys.map((of) => `"${of.name}"`).join();
  const row = `(SELECT ${key} FROM ${table} WHERE ${name} ${rows} LIMIT 1)`;
  try {
    const { changes } = db
      .prepare(`UPDATE ${table} SET ${name} = ${to(name)} WHERE (${key}) = ${row}`)
      .run([]);
    return changes > 0;
  } catch (error) {
    // Some columns must have a value, and some values must be unique.
    if (/constraint failed|datatype mismatch|cannot store/.test(String(error))) return false;
    throw error;
  } finally {
    db.close();
  }
}

it("declares for each table what verification compares", () => {
  const tables = new Map([...tablesOf("sqlite"), ...tablesOf("postgres")]);
  const both = [...partsOf("sqlite"), ...partsOf("postgres")].map(({ name }) => name);
  for (const [table, { verified: how }] of tables) {
    const { by, except } = how;
    if (by === null) expect(except?.why, table).toBeTruthy();
    for (const column of except?.columns ?? []) expect(both).toContain(`${table}.${column}`);
  }
});

it("notices a change of each column, or names it as not covered", {
  ...long,
  timeout: 120_000,
}, async () => {
  const dataDir = await filled('{"city":"Oslo"}');
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
  const each = COLUMNS.flatMap((column) => CHANGES.map((how) => [...column, how] as const));
  for (const [table, column, how] of each) {
    const copy = tempDir();
    cpSync(dataDir, copy, { recursive: true });
    if (!change(copy, table, column, how)) continue;
    tried.add(table);
    // A database that cannot be read at all also counts as noticed.
    const isNoticed = await verified(copy).then(
      ({ ok }) => !ok,
      () => true,
    );
    const columns = open.get(table);
    const isOpen = open.has(table) && (columns === undefined || columns.includes(column));
    if (!isNoticed && !isOpen) wrong.push(`${table}.${column}: ${how[0]}`);
  }
  expect(wrong).toEqual([]);
  expect([...tried].toSorted()).toEqual(tableNames("sqlite").toSorted());
});

it("notices a removed row of each table, or says that it does not", {
  timeout: 60_000,
}, async () => {
  const dataDir = await filled();
  const unnoticed = new Set<string>();
  for (const table of tableNames("sqlite")) {
    for (const which of ["min", "max"]) {
      const copy = tempDir();
      cpSync(dataDir, copy, { recursive: true });
      const db = new Database(join(copy, DATABASE_FILE));
      const [{ name: key } = { name: "" }] = db
        .prepare(`SELECT name FROM pragma_table_info('${table}')`)
        .all([]) as readonly { readonly name: string }[];
      db.exec("PRAGMA foreign_keys = OFF");
      const { changes } = db
        .prepare(`DELETE FROM ${table} WHERE "${key}" = (SELECT ${which}("${key}") FROM ${table})`)
        .run([]);
      db.close();
      const isNoticed = await verified(copy).then(
        ({ ok }) => !ok,
        () => true,
      );
      if (changes > 0 && !isNoticed) unnoticed.add(table);
    }
  }
  const { tables } = await verified(dataDir);
  const named = tables.filter((of) => !of.removals_noticed).map(({ table }) => table);
  expect([...unnoticed].toSorted()).toEqual(named.toSorted());
});
