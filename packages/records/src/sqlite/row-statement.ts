import { isUtf8 } from "node:buffer";
import type { Connection } from "./connection.ts";

/** A statement that returns rows. */
export interface RowStatement {
  all(parameters: readonly unknown[]): unknown[];
}

/** Column types whose values JSON can represent exactly. */
const IN_JSON: ReadonlySet<string | null> = new Set(["TEXT", "INTEGER"]);

/**
 * Prepares a query whose rows may be damaged, or changed by another program. Texts leave SQLite as bytes, in one JSON
 * array for each row: libsql ends the whole process if a text is not UTF-8, and it cuts a text at U+0000, so that the
 * value read would differ from the stored one. A row that is not UTF-8 is read as Latin-1, which differs from the
 * text that was written.
 *
 * @param sql returns columns with different names, and no blobs
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
  // JSON would lose a number's last digits.
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
