import type { DatabasePart, TableSet } from "../table.ts";

/**
 * The calls in the search index of SQLite. PostgreSQL has an index on the records instead:
 * `postgres/search-index.ts`.
 */
export const SEARCH_TABLES = {
  /** A call with arguments or a result, by its number in `search_text`. */
  searched: {
    columns: { n: "id", record: "unique" },
    only: "sqlite",
    verified: { by: "the records" },
  },
  /** How many records of a chain were read for the index. */
  search_chains: {
    columns: { chain: "text", records: "integer" },
    key: ["chain"],
    only: "sqlite",
    byKey: true,
    // If its row is lost, a chain without kept bodies is just read again.
    verified: { by: "the records", mayLackRows: true },
  },
} as const satisfies TableSet;

/**
 * The index itself: for each sequence of three characters, the calls that contain it
 * (https://www.sqlite.org/fts5.html). It stores no texts, so a record that it finds is read and compared.
 */
export const SEARCH_INDEX = "search_text";

const forget = (name: string, event: string): DatabasePart => ({
  kind: "trigger",
  name,
  make: `CREATE TRIGGER ${name} AFTER ${event} ON activity BEGIN
  DELETE FROM ${SEARCH_INDEX} WHERE rowid IN (SELECT n FROM searched WHERE record = old.id);
  DELETE FROM searched WHERE record = old.id;
END`,
});

/** The index, and triggers that remove a call from it together with the record, or with its arguments and result. */
export const SEARCH_PARTS: readonly DatabasePart[] = [
  {
    kind: "table",
    name: SEARCH_INDEX,
    make: `CREATE VIRTUAL TABLE ${SEARCH_INDEX} USING fts5(text, content='', contentless_delete=1, detail='none', tokenize='trigram')`,
  },
  forget("searched_removed", "DELETE"),
  forget("searched_erased", "UPDATE OF arguments, result"),
];

/** The tables in which SQLite itself stores the index, as SQLite creates them. */
export const SEARCH_SHADOWS: readonly DatabasePart[] = [
  ["data", "id INTEGER PRIMARY KEY, block BLOB"],
  ["idx", "segid, term, pgno, PRIMARY KEY(segid, term)", " WITHOUT ROWID"],
  ["docsize", "id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER"],
  ["config", "k PRIMARY KEY, v", " WITHOUT ROWID"],
].map(([name, columns, more = ""]) => ({
  kind: "table",
  name: `${SEARCH_INDEX}_${name}`,
  make: `CREATE TABLE '${SEARCH_INDEX}_${name}'(${columns})${more}`,
}));
