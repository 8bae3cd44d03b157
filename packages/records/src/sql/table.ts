import type { Generated } from "kysely";

/** The kinds of databases that store records. */
export type Dialect = "sqlite" | "postgres";

/** A column type, as each database writes it. Both compare texts by their bytes. */
const COLUMNS = {
  text: { sqlite: "TEXT NOT NULL", postgres: 'TEXT COLLATE "C" NOT NULL' },
  "text?": { sqlite: "TEXT", postgres: 'TEXT COLLATE "C"' },
  unique: { sqlite: "TEXT NOT NULL UNIQUE", postgres: 'TEXT COLLATE "C" NOT NULL UNIQUE' },
  integer: { sqlite: "INTEGER NOT NULL", postgres: "BIGINT NOT NULL" },
  "integer?": { sqlite: "INTEGER", postgres: "BIGINT" },
  /** From 0 on. */
  count: { sqlite: "INTEGER NOT NULL DEFAULT 0", postgres: "BIGINT NOT NULL DEFAULT 0" },
  real: { sqlite: "REAL NOT NULL", postgres: "DOUBLE PRECISION NOT NULL" },
  "real?": { sqlite: "REAL", postgres: "DOUBLE PRECISION" },
  bytes: { sqlite: "BLOB NOT NULL", postgres: "BYTEA NOT NULL" },
  "bytes?": { sqlite: "BLOB", postgres: "BYTEA" },
  /** A number that the database assigns to each row. */
  id: {
    sqlite: "INTEGER PRIMARY KEY",
    postgres: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  },
  /** True by default. */
  yes: { sqlite: "INTEGER NOT NULL DEFAULT 1", postgres: "BOOLEAN NOT NULL DEFAULT true" },
  /** Times of the server's own clock, so that the machines' clocks need not agree. */
  now: { postgres: "TIMESTAMPTZ NOT NULL DEFAULT now()" },
  tomorrow: { postgres: "TIMESTAMPTZ NOT NULL DEFAULT now() + interval '1 day'" },
} as const;

/** A type of columns. */
export type ColumnType = keyof typeof COLUMNS;

/** The types for Kysely. */
interface Values {
  text: string;
  "text?": string | null;
  unique: string;
  integer: number;
  "integer?": number | null;
  count: Generated<number>;
  real: number;
  "real?": number | null;
  bytes: Uint8Array;
  "bytes?": Uint8Array | null;
  id: Generated<number>;
  yes: Generated<boolean>;
  now: Generated<Date>;
  tomorrow: Generated<Date>;
}

/** An index of a table. */
interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique?: boolean;
  readonly where?: string;
  readonly only?: Dialect;
}

/** The evidence with which verification compares the rows of a table. */
interface Verified {
  /** What its rows are compared with; null if nothing. */
  readonly by: string | null;
  /** Columns that are not compared, or the whole table, and why. */
  readonly except?: { readonly columns: readonly string[]; readonly why: string };
  /** Whether removed rows go unnoticed, since gateways remove old ones as well. */
  readonly mayLackRows?: boolean;
}

/** Why times in rows are not compared. */
export const HOUSEKEEPING = "times of housekeeping";

/** A table of both databases, or of one. */
export interface Table {
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** Absent if a column of type `id` is the key, or if there is no key. */
  readonly key?: readonly string[];
  readonly indexes?: readonly Index[];
  /** The database that has it; default: both. */
  readonly only?: Dialect;
  /** Whether SQLite stores the rows only in the order of their key. */
  readonly byKey?: boolean;
  readonly verified: Verified;
  /** Whether its rows name callers or sessions, so that an erasure changes them. */
  readonly isPersonal?: boolean;
}

/** Tables by their names. */
export type TableSet = Readonly<Record<string, Table>>;

/** The rows of tables, for Kysely. */
export type RowsOf<Set extends TableSet> = {
  readonly [Name in keyof Set]: RowOf<Set[Name]["columns"]>;
};

type RowOf<Columns extends Readonly<Record<string, ColumnType>>> = {
  readonly [Name in keyof Columns]: Values[Columns[Name]];
};

/** A part of a database, and the statement that creates it. */
export interface DatabasePart {
  readonly kind: "table" | "column" | "index" | "trigger";
  /** For a column, `TABLE.COLUMN`. */
  readonly name: string;
  readonly make: string;
}

/**
 * Returns a table's parts, each after the parts that it needs.
 * @param others definitions of further columns that `table` does not have
 */
export function partsOfTable(
  dialect: Dialect,
  name: string,
  table: Table,
  others: readonly string[] = [],
): readonly DatabasePart[] {
  const columns = Object.entries(table.columns).map(([column, type]) => ({
    kind: "column" as const,
    name: `${name}.${column}`,
    make: `ALTER TABLE ${name} ADD COLUMN ${columnText(dialect, column, type)}`,
  }));
  const indexes = (table.indexes ?? [])
    .filter(({ only }) => (only ?? dialect) === dialect)
    .map((index) => ({
      kind: "index" as const,
      name: index.name,
      make: indexStatement(name, index),
    }));
  return [
    { kind: "table", name, make: tableStatement(dialect, name, table, others) },
    ...columns,
    ...indexes,
  ];
}

function tableStatement(
  dialect: Dialect,
  name: string,
  of: Table,
  others: readonly string[],
): string {
  const { key: keys = [] } = of;
  const columns = Object.entries(of.columns).map(([column, about]) => {
    const isKey = keys.length === 1 && keys[0] === column;
    return `${columnText(dialect, column, about)}${isKey ? " PRIMARY KEY" : ""}`;
  });
  const key = keys.length < 2 ? [] : [`PRIMARY KEY (${keys.map(quoted).join(", ")})`];
  const rows =
    dialect === "postgres" ? "" : of.byKey === true ? " STRICT, WITHOUT ROWID" : " STRICT";
  return `CREATE TABLE ${name} (${[...columns, ...others, ...key].join(", ")})${rows}`;
}

function columnText(dialect: Dialect, name: string, column: ColumnType): string {
  const of: Partial<Record<Dialect, string>> = COLUMNS[column];
  return `${quoted(name)} ${of[dialect]}`;
}

function indexStatement(table: string, { name, columns, unique, where }: Index): string {
  const kind = unique === true ? "UNIQUE INDEX" : "INDEX";
  const rows = where === undefined ? "" : ` WHERE ${where}`;
  return `CREATE ${kind} ${name} ON ${table} (${columns.map(quoted).join(", ")})${rows}`;
}

/** PostgreSQL reserves one of our names. */
function quoted(name: string): string {
  return name === "authorization" ? `"${name}"` : name;
}
