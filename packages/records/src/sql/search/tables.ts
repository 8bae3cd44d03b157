import type { DatabasePart, TableSet } from "../table.ts";

/** Which calls the search index of SQLite has. PostgreSQL has an index on the records instead: `postgres/search-index.ts`. */
export const SEARCH_TABLES = {
  /** A call whose arguments or result are kept, by its number in `search_text`. */
  searched: {
    columns: { n: "id", record: "unique" },
    only: "sqlite",
    verified: { by: "the records" },
  },
  /** How many records of a chain were looked at for the index. */
  search_chains: {
    columns: { chain: "text", records: "integer" },
    key: ["chain"],
    only: "sqlite",
    byKey: true,
    // A chain without kept bodies is only looked at again.
    verified: { by: "the records", mayLackRows: true },
  },
} as const satisfies TableSet;

/**
 * The index itself: which calls have which three characters in a row (https://www.sqlite.org/fts5.html). It keeps no
 * texts, so a record that it finds is read and compared.
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

/** The index, and what removes a call from it together with the record, or with its arguments and result. */
export const SEARCH_PARTS: readonly DatabasePart[] = [
  {
    kind: "table",
    name: SEARCH_INDEX,
    make: `CREATE VIRTUAL TABLE ${SEARCH_INDEX} USING fts5(text, content='', contentless_delete=1, detail='none', tokenize='trigram')`,
  },
  forget("searched_removed", "DELETE"),
  forget("searched_erased", "UPDATE OF arguments, result"),
];

/** The tables in which SQLite itself keeps the index, as it creates them. */
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
