import type { ActivityRow } from "../sql/rows.ts";
import type { Connection } from "./connection.ts";

type Counted = Pick<ActivityRow, "type" | "server" | "tool" | "direction" | "decision" | "status">;

/** The length of the part of a time text that names its hour: `2026-08-31T09`. */
const HOUR_LENGTH = 13;

/** Counts rows by hour. */
export interface Tally {
  add(row: Counted, time: string): void;
  /** Adds the counts to the table, inside the caller's transaction. */
  save(): void;
  /** Discards counts that were not saved. */
  reset(): void;
}

interface Cell {
  readonly key: readonly string[];
  records: number;
}

/**
 * Keeps counts in table `tally`, so that queries need not count rows: the number of records for each hour, and over
 * all time under the hour `""`, with each combination of the fields that filters use. Absent fields are `""`. A
 * trigger subtracts removed records.
 */
export function createTally(db: Connection): Tally {
  const save = db.prepare(
    `INSERT INTO tally (hour, type, server, tool, direction, decision, status, records)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET records = records + excluded.records`,
  );
  const cells = new Map<string, Cell>();

  function cellOf(row: Counted, hour: string): Cell {
    const { type, server, tool, direction, decision, status } = row;
    const name = `${hour}\0${type}\0${server ?? ""}\0${tool ?? ""}\0${direction ?? ""}\0${decision ?? ""}\0${status ?? ""}`;
    let cell = cells.get(name);
    if (cell === undefined) {
      const others = [server, tool, direction, decision, status].map((of) => of ?? "");
      cell = { key: [hour, type, ...others], records: 0 };
      cells.set(name, cell);
    }
    return cell;
  }

  return {
    add(row, time) {
      cellOf(row, time.slice(0, HOUR_LENGTH)).records += 1;
    },
    save() {
      const always = new Map<string, Cell>();
      for (const { key, records } of cells.values()) {
        save.run([...key, records]);
        const kind = key.slice(1);
        const name = kind.join("\u0000");
        const sum = always.get(name)?.records ?? 0;
        always.set(name, { key: ["", ...kind], records: sum + records });
      }
      for (const { key, records } of always.values()) save.run([...key, records]);
      cells.clear();
    },
    reset: () => cells.clear(),
  };
}
