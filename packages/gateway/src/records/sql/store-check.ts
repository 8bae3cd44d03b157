import { approvalFaults } from "./approval-faults.ts";
import { inconsistencies } from "./consistency.ts";
import { COVERAGE } from "./coverage.ts";
import { plainQuery, type ReadDatabase, type RunQuery } from "./database.ts";
import { keptFaults } from "./kept-lists.ts";
import { rollupFaults } from "./rollup-faults.ts";
import { type TableName, tableNames } from "./tables.ts";

/** What a verification of the store has compared of one table. */
export interface TableCheck {
  readonly table: string;
  /** What its rows were compared with; null if with nothing. */
  readonly checked: string | null;
  /** Columns that were compared with nothing; all of them if `checked` is null. */
  readonly not_covered: readonly string[];
  /** Whether a row that somebody has removed is noticed. */
  readonly removals_noticed: boolean;
  /** Why; null if every column was compared. */
  readonly why: string | null;
}

/** The verification of everything but the chains of records. */
export interface StoreCheck {
  /** What is wrong, in a line each. */
  readonly faults: readonly string[];
  readonly tables: readonly TableCheck[];
  /** Approvals and withdrawals that a record proves. */
  readonly approvals: number;
  readonly first_uses: number;
  /** Approvals and first uses from before approvals were recorded. */
  readonly unrecorded_approvals: number;
  /** Tool lists of servers. */
  readonly lists: number;
  /** Those of them that a build before this one has written, whose server cannot be verified. */
  readonly unsealed_lists: number;
}

const APPROVALS: readonly TableName[] = ["pins", "pin_first_uses", "pin_versions"];
const ROLLUP: readonly TableName[] = ["rollup", "rollup_chains"];

/** Compares every table but the records' own with what is known of it, on one snapshot. */
export async function checkStore(db: ReadDatabase, run: RunQuery): Promise<StoreCheck> {
  const hidden = await hiddenTables(db, run);
  const may = (tables: readonly TableName[]): boolean => tables.every((name) => !hidden.has(name));
  const kept = await keptFaults(db, run, may);
  const approvals = may(APPROVALS)
    ? await approvalFaults(db, run)
    : { faults: [], approvals: 0, firstUses: 0, unrecorded: 0 };
  const rollup = may(ROLLUP) ? await rollupFaults(db, run) : [];
  return {
    faults: [...(await inconsistencies(db, run)), ...kept.faults, ...approvals.faults, ...rollup],
    tables: tableNames(db.dialect).map((table) => tableCheck(table, hidden.has(table))),
    approvals: approvals.approvals,
    first_uses: approvals.firstUses,
    unrecorded_approvals: approvals.unrecorded,
    lists: kept.lists,
    unsealed_lists: kept.unsealed,
  };
}

function tableCheck(table: TableName, isHidden: boolean): TableCheck {
  const { checked, except, mayLackRows = checked === null } = COVERAGE[table];
  if (isHidden) {
    const why = "this user may not read it";
    return { table, checked: null, not_covered: [], removals_noticed: false, why };
  }
  const { columns = [], why = null } = except ?? {};
  return { table, checked, not_covered: columns, removals_noticed: !mayLackRows, why };
}

/** Returns the tables that a user of PostgreSQL may not read: those that came later need a grant of their own. */
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
