import type { Field } from "../fields.ts";
import { RECORD_FIELDS } from "../record.ts";
import { CALLER_TABLES } from "./callers/tables.ts";
import { KEPT_TABLES } from "./kept-tables.ts";
import type { ActivityRow } from "./rows.ts";
import { SEARCH_PARTS } from "./search/tables.ts";
import {
  type ColumnType,
  type DatabasePart,
  type Dialect,
  partsOfTable,
  type RowsOf,
  type Table,
  type TableSet,
} from "./table.ts";

export type { DatabasePart, Dialect } from "./table.ts";

/**
 * Records, and the position of each in its chain: one column for each field with a column, and `extra` for the
 * others.
 */
const ACTIVITY: Table = {
  columns: {
    ...Object.fromEntries(RECORD_FIELDS.flatMap(([name, field]) => columnOf(name, field))),
    chain: "text",
    seq: "integer",
    rules: "text?",
    extra: "text?",
  },
  key: ["id"],
  verified: { by: "the hash chains" },
  isPersonal: true,
  indexes: [
    { name: "activity_chain", columns: ["chain", "seq"], unique: true },
    { name: "activity_request", columns: ["request_id"] },
    { name: "activity_session", columns: ["session", "id"], where: "session IS NOT NULL" },
    { name: "activity_caller", columns: ["caller", "id"], where: "caller IS NOT NULL" },
    // SQLite has few indexes, because each slows down every insert: `routes.ts` uses these.
    {
      name: "activity_kind",
      columns: ["type", "direction", "decision", "status", "server", "id"],
      only: "sqlite",
    },
    {
      name: "activity_tool",
      columns: ["tool", "server", "id"],
      where: "tool IS NOT NULL",
      only: "sqlite",
    },
    { name: "activity_type", columns: ["type", "id"], only: "postgres" },
    { name: "activity_server", columns: ["server", "id"], only: "postgres" },
    { name: "activity_tool", columns: ["server", "tool", "id"], only: "postgres" },
    { name: "activity_tool_name", columns: ["tool", "id"], only: "postgres" },
    {
      name: "activity_direction",
      columns: ["direction", "id"],
      where: "direction IS NOT NULL",
      only: "postgres",
    },
    { name: "activity_decision", columns: ["decision", "id"], only: "postgres" },
    { name: "activity_status", columns: ["status", "id"], only: "postgres" },
    { name: "activity_place", columns: ["xid", "position"], only: "postgres" },
  ],
};

function columnOf(name: string, { column, unset }: Field): readonly [string, ColumnType][] {
  if (column === undefined) return [];
  const type = column === "json" ? "text" : column;
  return [[name, unset === "never" ? type : `${type}?`]];
}

/**
 * The tables of both databases: those of records, and those of `kept-tables.ts`. They are added to existing databases
 * when these are next opened, so they must not affect builds that do not know them: a column is nullable or has a
 * default, and nothing is renamed or removed. Raise `LAYOUT_VERSION` with every change.
 */
const TABLES = {
  /** A single row: see `migrations.ts`. */
  version: {
    columns: {
      version: "integer",
      layout: "integer?",
      reader: "integer?",
      writer: "integer?",
    },
    verified: { by: null, except: { columns: [], why: "versions of the tables" } },
  },
  /** Facts about a chain besides its records. */
  chains: {
    columns: {
      chain: "text",
      /** How many records were ever appended. */
      records: "integer",
      /** Hash of the last record. */
      head: "text",
      /** The most milliseconds by which an id's time was after its record's time. */
      skew_ms: "integer",
      /** How many records retention has removed from the start. */
      pruned: "count",
      /** Id and hash of the last removed record. */
      pruned_id: "text?",
      pruned_hash: "text?",
    },
    key: ["chain"],
    indexes: [
      { name: "chains_skew", columns: ["skew_ms"] },
      { name: "chains_pruned", columns: ["pruned_id"], where: "pruned_id IS NOT NULL" },
    ],
    byKey: true,
    verified: {
      by: "the records",
      except: {
        columns: ["skew_ms", "pruned_id"],
        why: "bounds: only a value that cannot be is noticed",
      },
    },
  },
  /** The number of records of one kind in an hour. */
  tally: {
    columns: {
      hour: "text",
      type: "text",
      server: "text",
      tool: "text",
      direction: "text",
      decision: "text",
      status: "text",
      records: "integer",
    },
    key: ["hour", "type", "server", "tool", "direction", "decision", "status"],
    byKey: true,
    only: "sqlite",
    verified: { by: "a recount of the records" },
  },
  /** Hourly counts of records: `rollup.ts`. */
  rollup: {
    columns: {
      hour: "text",
      type: "text",
      server: "text",
      tool: "text",
      direction: "text",
      decision: "text",
      status: "text",
      rules: "text",
      records: "integer",
      /** The sum of the durations, and their distribution: `durations.ts`. */
      duration_ms: "real",
      durations: "text",
    },
    key: ["hour", "type", "server", "tool", "direction", "decision", "status", "rules"],
    byKey: true,
    verified: { by: "a recount of the records" },
  },
  /** How many records of a chain are in the rollup. */
  rollup_chains: {
    columns: { chain: "text", records: "integer" },
    key: ["chain"],
    byKey: true,
    verified: { by: "a recount of the records" },
  },
  ...CALLER_TABLES,
  ...KEPT_TABLES,
} as const satisfies TableSet;

/** The rows of each table, for Kysely. */
export type Tables = { readonly activity: ActivityRow } & RowsOf<typeof TABLES>;

/** The names of the tables, in either database. */
export type TableName = keyof Tables;

/** Returns the names of the tables of a database. */
export function tableNames(dialect: Dialect): readonly TableName[] {
  return [...tablesOf(dialect).keys()];
}

/** Returns the tables of a database, by their names. */
export function tablesOf(dialect: Dialect): ReadonlyMap<TableName, Table> {
  const all = Object.entries<Table>({ activity: ACTIVITY, ...TABLES });
  const own = all.filter(([, { only }]) => (only ?? dialect) === dialect);
  return new Map(own as (readonly [TableName, Table])[]);
}

/** Further parts of a database: the order of commits in PostgreSQL, and SQLite's counts of removed records. */
const ORDER_OF_COMMITS: readonly string[] = [
  "xid xid8 NOT NULL DEFAULT pg_current_xact_id()",
  "position BIGINT GENERATED ALWAYS AS IDENTITY",
];
const SAME_KIND = ["server", "tool", "direction", "decision", "status"]
  .map((column) => `${column} = ifnull(old.${column}, '')`)
  .join(" AND ");
const SAME_CELL = `hour IN ('', substr(old.time, 1, 13)) AND type = old.type AND ${SAME_KIND}`;
const TALLY_TRIGGER = `CREATE TRIGGER activity_removed AFTER DELETE ON activity BEGIN
  UPDATE tally SET records = records - 1 WHERE ${SAME_CELL};
  DELETE FROM tally WHERE ${SAME_CELL} AND records <= 0;
END`;

/** Returns the parts of a database, each after the parts that it needs; columns come after their table. */
export function partsOf(dialect: Dialect): readonly DatabasePart[] {
  const parts = [...tablesOf(dialect)].flatMap(([name, table]) => {
    const isOrdered = dialect === "postgres" && name === "activity";
    return partsOfTable(dialect, name, table, isOrdered ? ORDER_OF_COMMITS : []);
  });
  if (dialect === "postgres") return parts;
  return [
    ...parts,
    { kind: "trigger", name: "activity_removed", make: TALLY_TRIGGER },
    ...SEARCH_PARTS,
  ];
}
