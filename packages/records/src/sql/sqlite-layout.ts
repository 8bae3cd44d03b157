import { LAYOUT_VERSION } from "./migrations.ts";
import { SEARCH_SHADOWS } from "./search/tables.ts";
import { partsOf } from "./tables.ts";

/** A part of a database, as the database describes it. */
export interface LayoutPart {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/** Tables, indexes, triggers and views; SQLite's own parts have no text (https://www.sqlite.org/schematab.html). */
export const LAYOUT_QUERY =
  "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";

/**
 * Returns how a database differs from this build's layout, one line each. A planted trigger could change records as
 * they are written; a missing index loses no records but makes reading slow. A newer build may have added tables,
 * indexes and columns.
 * @param found the rows of {@link LAYOUT_QUERY}
 * @param layout the layout that the database states
 */
export function layoutFaults(found: readonly LayoutPart[], layout: number): readonly string[] {
  const own = [...partsOf("sqlite"), ...SEARCH_SHADOWS].filter(({ kind }) => kind !== "column");
  const made = new Map(own.map(({ kind, name, make }) => [`${kind} ${name}`, make]));
  const there = new Set(found.map(({ type, name }) => `${type} ${name}`));
  const mayAdd = layout > LAYOUT_VERSION;
  const planted = found.filter(
    ({ type, name }) =>
      !made.has(`${type} ${name}`) && !(mayAdd && (type === "table" || type === "index")),
  );
  const changed = found.filter(({ type, name, sql }) => {
    const make = made.get(`${type} ${name}`);
    return make !== undefined && !isAlike(make, sql ?? "", mayAdd && type === "table");
  });
  const lost = own.filter(({ kind, name }) => !there.has(`${kind} ${name}`));
  return [
    ...planted.map(
      ({ type, name }) => `the database has a ${type} that touchstone did not make: ${name}`,
    ),
    ...changed.map(({ type, name }) => `the ${type} ${name} is not as touchstone made it`),
    ...lost.map(({ kind, name }) => `the database lacks the ${kind} ${name}`),
  ];
}

/** Returns whether two statements create the same part. Columns that were added later are at the end. */
function isAlike(made: string, found: string, mayAdd: boolean): boolean {
  const [own, other] = [readStatement(made), readStatement(found)];
  if (own.frame !== other.frame) return false;
  const isWhole = own.members.every((member) => other.members.includes(member));
  return isWhole && (mayAdd || own.members.length === other.members.length);
}

/** Returns a statement in a normalized form; for a table, its columns and the text around them. */
function readStatement(sql: string): {
  readonly frame: string;
  readonly members: readonly string[];
} {
  const flat = sql
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([(),]) ?/g, "$1")
    .replaceAll('"', "");
  const [, start, columns, end] = /^(CREATE TABLE \w+)\((.*)\)([^()]*)$/.exec(flat) ?? [];
  if (columns === undefined) return { frame: flat, members: [] };
  return { frame: `${start} ${end}`, members: columns.split(/,(?![^(]*\))/) };
}
