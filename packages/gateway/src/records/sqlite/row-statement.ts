import { isUtf8 } from "node:buffer";
import type { Connection } from "./connection.ts";

/** A statement that gives rows. */
export interface RowStatement {
  all(parameters: readonly unknown[]): unknown[];
}

/** Types of columns whose values JSON holds as they are. */
const IN_JSON: ReadonlySet<string | null> = new Set(["TEXT", "INTEGER"]);

/**
 * Prepares a query whose rows may have been damaged, or changed by something else. Texts leave SQLite as
 * bytes, in one JSON array for each row: where a text is not UTF-8, libsql ends the whole process, and it
 * cuts one at U+0000, so that what is read would not be what SQLite finds. A row that is not UTF-8 is read
 * as Latin-1: another text than the one that was written.
 *
 * @param sql gives columns of different names, and no blobs
 */
export function prepareRows(db: Pick<Connection, "prepare">, sql: string): RowStatement {
  const columns = db
    .prepare(sql)
    .columns()
    .map(({ name, type }) => ({ name, quoted: `"${name}"`, inJson: IN_JSON.has(type) }));
  const beside = columns.filter(({ inJson }) => !inJson);
  const texts = columns.map(({ quoted, inJson }) =>
    inJson ? quoted : `CASE typeof(${quoted}) WHEN 'text' THEN ${quoted} END`,
  );
  // JSON would cut a number's last digits.
  const numbers = beside.map(
    ({ quoted }) => `, CASE typeof(${quoted}) WHEN 'text' THEN NULL ELSE ${quoted} END`,
  );
  const statement = db
    .prepare(
      `SELECT CAST(json_array(${texts.join(", ")}) AS BLOB)${numbers.join("")} FROM (${sql})`,
    )
    .raw();

  return {
    all: (parameters) =>
      (statement.all([...parameters]) as [Buffer, ...unknown[]][]).map(([bytes, ...others]) => {
        const values = JSON.parse(bytes.toString(isUtf8(bytes) ? "utf8" : "latin1")) as unknown[];
        const row: Record<string, unknown> = {};
        for (const [i, { name }] of columns.entries()) row[name] = values[i];
        for (const [i, { name }] of beside.entries()) row[name] ??= others[i];
        return row;
      }),
  };
}
