import type { Generated } from "kysely";
import type { Field } from "../fields.ts";
import { RECORD_FIELDS } from "../record.ts";
import type { ActivityRow } from "./rows.ts";

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

type Column = keyof typeof COLUMNS;

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

interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique?: boolean;
  readonly where?: string;
  readonly only?: Dialect;
}

interface Table {
  readonly columns: Readonly<Record<string, Column>>;
  /** Absent if a column of type `id` is the key, or if there is no key. */
  readonly key?: readonly string[];
  readonly indexes?: readonly Index[];
  /** The database that has it; default: both. */
  readonly only?: Dialect;
  /** Whether SQLite keeps the rows in the order of their key only. */
  readonly byKey?: boolean;
}

/**
 * Records, and the place of each in its chain: one column for each field with a column, and `extra` for the others.
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
  indexes: [
    { name: "activity_chain", columns: ["chain", "seq"], unique: true },
    { name: "activity_request", columns: ["request_id"] },
    { name: "activity_session", columns: ["session", "id"], where: "session IS NOT NULL" },
    { name: "activity_caller", columns: ["caller", "id"], where: "caller IS NOT NULL" },
    // SQLite has few indexes, because each one costs time with every record: `routes.ts` uses these.
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

function columnOf(name: string, { column, unset }: Field): readonly [string, Column][] {
  if (column === undefined) return [];
  const type = column === "json" ? "text" : column;
  return [[name, unset === "never" ? type : `${type}?`]];
}

/**
 * The tables of both databases. Additions are made to existing databases when they are next opened, so they must not
 * disturb builds that do not know them: a column is nullable or has a default, and nothing is renamed or removed.
 * Raise `LAYOUT` with every change.
 */
const TABLES = {
  /** One row: see `migrations.ts`. */
  version: {
    columns: {
      version: "integer",
      layout: "integer?",
      reader: "integer?",
      writer: "integer?",
    },
  },
  /** Facts about a chain besides its records. */
  chains: {
    columns: {
      chain: "text",
      /** How many records were appended in all. */
      records: "integer",
      /** Hash of the last one. */
      head: "text",
      /** The most milliseconds by which an id's time was after its record's time. */
      skew_ms: "integer",
      /** How many records retention has removed from the start. */
      pruned: "count",
      /** Id and hash of the last one removed. */
      pruned_id: "text?",
      pruned_hash: "text?",
    },
    key: ["chain"],
    indexes: [
      { name: "chains_skew", columns: ["skew_ms"] },
      { name: "chains_pruned", columns: ["pruned_id"], where: "pruned_id IS NOT NULL" },
    ],
    byKey: true,
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
  },
  /** What the records of an hour come to: `rollup.ts`. */
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
      /** The sum, and how many there are of which length: `durations.ts`. */
      duration_ms: "real",
      durations: "text",
    },
    key: ["hour", "type", "server", "tool", "direction", "decision", "status", "rules"],
    byKey: true,
  },
  /** How many records of a chain are in the rollup. */
  rollup_chains: {
    columns: { chain: "text", records: "integer" },
    key: ["chain"],
    byKey: true,
  },
  /** The shapes of a tool's results under one of its schemas. */
  drift: {
    columns: {
      server: "text",
      tool: "text",
      schema_hash: "text",
      schema: "text",
      shape: "text",
      since: "text",
      until: "text",
    },
    key: ["server", "tool", "schema_hash"],
  },
  /** A schema text is kept once, and so is a tool list, however many clients get it. */
  schemas: { columns: { id: "id", hash: "unique", text: "bytes", since: "text" } },
  lists: { columns: { id: "id", hash: "unique" } },
  list_tools: {
    columns: { list: "integer", tool: "text", input: "integer?", output: "integer?" },
    key: ["list", "tool"],
    indexes: [
      { name: "list_tools_input", columns: ["input"], where: "input IS NOT NULL" },
      { name: "list_tools_output", columns: ["output"], where: "output IS NOT NULL" },
    ],
    byKey: true,
  },
  list_scopes: {
    columns: {
      server: "text",
      revision: "text",
      authorization: "text",
      list: "integer",
      since: "text",
      used: "text",
    },
    key: ["server", "revision", "authorization"],
    indexes: [
      { name: "list_scopes_list", columns: ["list"] },
      { name: "list_scopes_used", columns: ["server", "used"] },
    ],
    byKey: true,
  },
  /** Schemas that have changed, as they were and as they became, and definitions that a lock file had before. */
  changed_schemas: {
    columns: { server: "text", hash: "text", text: "bytes", since: "text" },
    key: ["server", "hash"],
    indexes: [{ name: "changed_schemas_since", columns: ["since"] }],
  },
  /** Changes of tools that were recorded, so that another list of the server does not record them again. */
  list_changes: {
    columns: { server: "text", tool: "text", change: "text", at: "text" },
    key: ["server", "tool", "change"],
    indexes: [{ name: "list_changes_at", columns: ["at"] }],
  },
  /** Declarations of servers: approved, held or revoked. */
  pins: {
    columns: {
      server: "text",
      kind: "text",
      name: "text",
      hash: "text",
      state: "text",
      text: "bytes?",
      since: "text",
      decided: "text?",
      caller: "text?",
      locked_hash: "text?",
    },
    key: ["server", "kind", "name", "hash"],
    indexes: [
      { name: "pins_hash", columns: ["server", "hash"] },
      { name: "pins_locked", columns: ["server", "locked_hash"] },
    ],
  },
  /** Kinds of declarations whose first ones were approved automatically. */
  pin_first_uses: {
    columns: { server: "text", kind: "text", since: "text" },
    key: ["server", "kind"],
    byKey: true,
  },
  /** Counts the changes to a server's known declarations. */
  pin_versions: {
    columns: { server: "text", version: "integer" },
    key: ["server"],
    byKey: true,
  },
  /** Gateways that share the store. */
  gateways: {
    columns: {
      id: "text",
      host: "text",
      version: "text",
      configuration: "text",
      listen: "text",
      started: "now",
      seen: "now",
    },
    key: ["id"],
    only: "postgres",
  },
  /** Calls that run as tasks. */
  tasks: {
    columns: {
      server: "text",
      task: "text",
      tool: "text",
      request_id: "text",
      output_schema: "bytes?",
      since: "now",
      known: "yes",
      gap: "text?",
    },
    key: ["server", "task"],
    indexes: [{ name: "tasks_since", columns: ["since"] }],
    only: "postgres",
  },
  /** Positions of readers: `bookmark.ts`. */
  bookmarks: {
    columns: { name: "text", position: "text", holder: "text", held_until: "real" },
    key: ["name"],
    only: "postgres",
  },
  /** Requests whose streams clients may resume at another gateway. */
  requests: {
    columns: {
      server: "text",
      session: "text",
      id: "text",
      request: "text",
      request_id: "text?",
      output: "text?",
      since: "now",
      until: "tomorrow",
    },
    key: ["server", "session", "id"],
    indexes: [
      { name: "requests_until", columns: ["until"] },
      { name: "requests_output", columns: ["output"], where: "output IS NOT NULL" },
    ],
    only: "postgres",
  },
} as const;

type RowOf<Columns extends Readonly<Record<string, Column>>> = {
  readonly [Name in keyof Columns]: Values[Columns[Name]];
};

/** The names of the tables, in either database. */
export type TableName = keyof Tables;

/** Returns the names of the tables of a database. */
export function tableNames(dialect: Dialect): readonly TableName[] {
  const all: readonly (readonly [string, Table])[] = Object.entries<Table>({
    activity: ACTIVITY,
    ...TABLES,
  });
  return all
    .filter(([, { only }]) => (only ?? dialect) === dialect)
    .map(([name]) => name as TableName);
}

/** The rows of each table, for Kysely. */
export type Tables = { readonly activity: ActivityRow } & {
  readonly [Name in keyof typeof TABLES]: RowOf<(typeof TABLES)[Name]["columns"]>;
};

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

/** A part of a database, and the statement that creates it. */
export interface Part {
  readonly kind: "table" | "column" | "index" | "trigger";
  /** Of a column, `TABLE.COLUMN`. */
  readonly name: string;
  readonly make: string;
}

/** Returns the parts of a database, each after the ones that it needs; columns come after their table. */
export function partsOf(dialect: Dialect): readonly Part[] {
  const own = Object.entries<Table>({ activity: ACTIVITY, ...TABLES }).filter(
    ([, { only }]) => (only ?? dialect) === dialect,
  );
  const parts = own.flatMap(([name, of]) => [
    { kind: "table" as const, name, make: tableStatement(dialect, name, of) },
    ...Object.entries(of.columns).map(([column, about]) => ({
      kind: "column" as const,
      name: `${name}.${column}`,
      make: `ALTER TABLE ${name} ADD COLUMN ${columnText(dialect, column, about)}`,
    })),
    ...(of.indexes ?? [])
      .filter(({ only }) => (only ?? dialect) === dialect)
      .map((index) => ({
        kind: "index" as const,
        name: index.name,
        make: indexStatement(name, index),
      })),
  ]);
  if (dialect === "postgres") return parts;
  return [...parts, { kind: "trigger", name: "activity_removed", make: TALLY_TRIGGER }];
}

function tableStatement(dialect: Dialect, name: string, of: Table): string {
  const { key: keys = [] } = of;
  const columns = Object.entries(of.columns).map(([column, about]) => {
    const isKey = keys.length === 1 && keys[0] === column;
    return `${columnText(dialect, column, about)}${isKey ? " PRIMARY KEY" : ""}`;
  });
  const key = keys.length < 2 ? [] : [`PRIMARY KEY (${keys.map(quoted).join(", ")})`];
  const others = dialect === "postgres" && name === "activity" ? ORDER_OF_COMMITS : [];
  const rows =
    dialect === "postgres" ? "" : of.byKey === true ? " STRICT, WITHOUT ROWID" : " STRICT";
  return `CREATE TABLE ${name} (${[...columns, ...others, ...key].join(", ")})${rows}`;
}

function columnText(dialect: Dialect, name: string, column: Column): string {
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
