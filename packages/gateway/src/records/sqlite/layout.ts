import Database from "libsql";
import { STEPS } from "./migrations.ts";

/** A part of a database, as the database describes it. */
export interface LayoutPart {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/** Tables, indexes, triggers and views; SQLite's own have no text (https://www.sqlite.org/schematab.html). */
export const LAYOUT_QUERY =
  "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";

/**
 * In what a database differs from the one that this release makes, in a line each. A trigger that somebody planted
 * may change records as they are written, and an index that is gone hides none, but makes reading slow.
 * @param found as {@link LAYOUT_QUERY} gives it
 */
export function layoutFaults(found: readonly LayoutPart[]): readonly string[] {
  const db = new Database(":memory:");
  try {
    for (const step of STEPS) db.exec(step);
    const own = db.prepare(LAYOUT_QUERY).all([]) as LayoutPart[];
    const key = ({ type, name }: LayoutPart): string => `${type} ${name}`;
    const made = new Map(own.map((part) => [key(part), part]));
    const there = new Set(found.map(key));
    return [
      ...found
        .filter((part) => !made.has(key(part)))
        .map(
          ({ type, name }) => `the database has a ${type} that touchstone did not make: ${name}`,
        ),
      ...found
        .filter((part) => made.has(key(part)) && made.get(key(part))?.sql !== part.sql)
        .map(({ type, name }) => `the ${type} ${name} is not as touchstone made it`),
      ...own
        .filter((part) => !there.has(key(part)))
        .map(({ type, name }) => `the database lacks the ${type} ${name}`),
    ];
  } finally {
    db.close();
  }
}
