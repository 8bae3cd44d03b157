import type { ActivityRow } from "../sql/rows.ts";
import type { Connection } from "./connection.ts";

type Counted = Pick<
  ActivityRow,
  "time" | "type" | "server" | "tool" | "direction" | "decision" | "status"
>;

/** The length of the start of a time that names its hour: `2026-08-31T09`. */
export const HOUR_LENGTH = 13;

/** Adds rows to the counts of their hours, inside the caller's transaction. */
export type CountRows = (rows: readonly Counted[]) => void;

/**
 * Keeps the counts in table `tally`, so that nobody has to count rows: how many records there are
 * for each hour, and under the hour `""` at all times, with each combination of the fields that filters
 * ask for. Absent fields are `""`. A trigger takes removed records out again.
 */
export function createTally(db: Connection): CountRows {
  const add = db.prepare(
    `INSERT INTO tally (hour, type, server, tool, direction, decision, status, records)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET records = records + excluded.records`,
  );

  return (rows) => {
    const cells = new Map<string, { readonly key: readonly string[]; records: number }>();
    for (const row of rows) {
      const key = [
        row.time.slice(0, HOUR_LENGTH),
        row.type,
        row.server ?? "",
        row.tool ?? "",
        row.direction ?? "",
        row.decision ?? "",
        row.status ?? "",
      ];
      const name = key.join("\u0000");
      const cell = cells.get(name);
      if (cell === undefined) cells.set(name, { key, records: 1 });
      else cell.records += 1;
    }
    const always = new Map<string, { readonly key: readonly string[]; records: number }>();
    for (const { key, records } of cells.values()) {
      add.run([...key, records]);
      const kind = key.slice(1);
      const name = kind.join("\u0000");
      const sum = always.get(name)?.records ?? 0;
      always.set(name, { key: ["", ...kind], records: sum + records });
    }
    for (const { key, records } of always.values()) add.run([...key, records]);
  };
}
