import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SelectQueryBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { ActivityRow } from "./rows.ts";

/** A row of table `chains`: what is known of a chain beyond its records. */
export interface ChainRow {
  readonly chain: string;
  /** How many records were ever appended. */
  readonly records: number;
  /** Hash of the last one. */
  readonly head: string;
  /** Most milliseconds by which an id's moment lay after its record's time. */
  readonly skew_ms: number;
  /** How many records retention has removed from the start. */
  readonly pruned: number;
  /** Id and hash of the last one removed. */
  readonly pruned_id: string | null;
  readonly pruned_hash: string | null;
}

/** A row of table `tally`, which SQLite has: how many records of one kind there are in an hour. */
export interface TallyRow {
  readonly hour: string;
  readonly type: string;
  readonly server: string;
  readonly tool: string;
  readonly direction: string;
  readonly decision: string;
  readonly status: string;
  readonly records: number;
}

/** A row of table `drift`: what results of a tool were like, under one of its schemas. */
export interface DriftRow {
  readonly server: string;
  readonly tool: string;
  readonly schema_hash: string;
  readonly schema: string;
  readonly shape: string;
  readonly since: string;
  readonly until: string;
}

export interface Tables {
  readonly activity: ActivityRow;
  readonly chains: ChainRow;
  readonly tally: TallyRow;
  readonly drift: DriftRow;
}

export type ActivitySelect<Output> = SelectQueryBuilder<Tables, "activity", Output>;
export type Dialect = "sqlite" | "postgres";

/** Builds SQL text and its parameters; the stores' own connections run it. */
export function queryBuilder(dialect: Dialect): Kysely<Tables> {
  return dialect === "sqlite" ? SQLITE : POSTGRES;
}

const SQLITE: Kysely<Tables> = new Kysely({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
const POSTGRES: Kysely<Tables> = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
