import type { StoreCheck, TableCheck } from "../store.ts";
import { inconsistencies } from "./consistency.ts";
import { plainQuery, type ReadDatabase, type RunQuery } from "./database.ts";
import { KEPT } from "./kept.ts";
import type { CanReadTables } from "./kept-part.ts";
import { rollupFaults } from "./rollup-faults.ts";
import type { Table } from "./table.ts";
import { tableNames, tablesOf } from "./tables.ts";

/** Compares every table except those of the records with its evidence, on one snapshot. */
export async function checkStore(db: ReadDatabase, run: RunQuery): Promise<StoreCheck> {
  const hidden = await hiddenTables(db, run);
  const may: CanReadTables = (tables) => tables.every((name) => !hidden.has(name));
  const faults = [...(await inconsistencies(db, run))];
  let counts = {
    approvals: 0,
    first_uses: 0,
    unrecorded_approvals: 0,
    lists: 0,
    unsealed_lists: 0,
  };
  for (const { check } of KEPT) {
    const { faults: found = [], ...compared } = (await check?.(db, run, may)) ?? {};
    faults.push(...found);
    counts = { ...counts, ...compared };
  }
  if (may(["rollup", "rollup_chains"])) faults.push(...(await rollupFaults(db, run)));
  const tables = [...tablesOf(db.dialect)];
  return {
    faults,
    tables: tables.map(([name, table]) => tableCheck(name, table, hidden.has(name))),
    ...counts,
  };
}

function tableCheck(table: string, { verified }: Table, isHidden: boolean): TableCheck {
  const { by: checked, except, mayLackRows = checked === null } = verified;
  if (isHidden) {
    const why = "this user may not read it";
    return { table, checked: null, not_covered: [], removals_noticed: false, why };
  }
  const { columns = [], why = null } = except ?? {};
  return { table, checked, not_covered: columns, removals_noticed: !mayLackRows, why };
}

/** Returns the tables that a user of PostgreSQL may not read: tables that were added later need a separate grant. */
async function hiddenTables(db: ReadDatabase, run: RunQuery): Promise<ReadonlySet<string>> {
  if (db.dialect === "sqlite") return new Set();
  const rows = await run<{ table: string; may: boolean }>(
    plainQuery(
      `SELECT name AS "table", has_table_privilege(name, 'SELECT') AS may FROM unnest($1::text[]) AS name`,
      [tableNames("postgres")],
    ),
  );
  return new Set(rows.filter(({ may }) => !may).map(({ table }) => table));
}
