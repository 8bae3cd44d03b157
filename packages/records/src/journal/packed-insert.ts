import { COLUMNS } from "../sql/rows.ts";
import type { Connection } from "../sqlite/connection.ts";
import { sqliteCode } from "../sqlite/faults.ts";

/** How many rows one statement inserts at most. */
const SLOTS = 128;
/** Most kinds of rows that the connection keeps, and most characters of one. */
const MAX_KINDS = 256;
const MAX_KIND_LENGTH = 4_096;

type Name = (typeof COLUMNS)[number]["name"];

/** The texts that differ in each row, and their lengths. */
const TEXTS = { id: 26, time: 24, request_id: 26, prev_hash: 64, hash: 64 } as const;
/** The numbers that differ in each row, and the factor that makes each an integer. */
const NUMBERS = { bytes_in: 1, bytes_out: 1, duration_ms: 1_000, seq: 1 } as const;
const DIGITS = 15;
const KIND_DIGITS = 3;

const TEXT_NAMES = Object.keys(TEXTS) as (keyof typeof TEXTS)[];
const NUMBER_NAMES = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[];
const OWN: ReadonlySet<Name> = new Set<Name>([...TEXT_NAMES, ...NUMBER_NAMES]);
const PLACES = new Map(COLUMNS.map(({ name }, at) => [name, at]));
const placeOf = (name: Name): number => PLACES.get(name) ?? -1;

const TEXT_PLACES = TEXT_NAMES.map((name) => ({ at: placeOf(name), length: TEXTS[name] }));
const NUMBER_PLACES = NUMBER_NAMES.map((name) => ({ at: placeOf(name), parts: NUMBERS[name] }));
const KIND = COLUMNS.map(({ name }) => name).filter((name) => !OWN.has(name));
const KIND_PLACES = KIND.map(placeOf);

/**
 * The allowed characters of such a text: its bytes and characters are then the same, and it contains no space,
 * because spaces mark an absent value.
 */
const PLAIN = /^[!-~]*$/;

const WIDTH =
  TEXT_NAMES.reduce((sum, name) => sum + TEXTS[name], 0) +
  NUMBER_NAMES.length * DIGITS +
  KIND_DIGITS;

/**
 * Returns SQL for each differing value of the row in slot `s.n`, and for the row's kind, in the order of the packed
 * text.
 */
function ownColumns(): { readonly columns: readonly string[]; readonly kind: string } {
  let at = 1;
  // In a blob, unlike in a text, SQLite can jump to a position without reading what precedes it.
  const part = (length: number): string => {
    const sql = `nullif(substr(?1, s.n * ${WIDTH} + ${at}, ${length}), x'${"20".repeat(length)}')`;
    at += length;
    return sql;
  };
  const texts = TEXT_NAMES.map((name) => `CAST(${part(TEXTS[name])} AS TEXT)`);
  const numbers = NUMBER_NAMES.map((name) => {
    const sql = `CAST(${part(DIGITS)} AS INTEGER)`;
    // The quotient of two exact numbers is the same double as the parsed decimal.
    return NUMBERS[name] === 1 ? sql : `${sql} / ${NUMBERS[name]}.0`;
  });
  return { columns: [...texts, ...numbers], kind: `CAST(${part(KIND_DIGITS)} AS INTEGER)` };
}

const SQL = ownColumns();
const INSERT = `INSERT INTO activity (${[...TEXT_NAMES, ...NUMBER_NAMES, ...KIND].join(", ")})
  SELECT ${[...SQL.columns, ...KIND.map((name) => `k.${name}`)].join(", ")}
  FROM temp.row_slots s CROSS JOIN temp.row_kinds k ON k.n = ${SQL.kind}
  WHERE s.n < ?2 ORDER BY s.n`;

/** The table rejected one of the rows that were inserted together. */
export class RejectedRows extends Error {
  override name = "RejectedRows";
}

/** Inserts rows together, in the caller's transaction. */
export interface PackedInsert {
  /**
   * Takes a row, to be inserted together with later ones.
   * @param values as `rowValues` returns them
   * @returns false if the row must be inserted alone
   * @throws RejectedRows, as {@link flush}
   */
  add(values: readonly unknown[]): boolean;
  /**
   * Inserts the rows that were taken. @throws RejectedRows if the table rejects a row; the error of SQLite unchanged
   */
  flush(): void;
  /** Forgets the rows that were taken, and what a transaction created that was rolled back. */
  reset(): void;
}

/**
 * Inserts many rows with one statement and two parameters. With a parameter for each value, libsql takes longer than
 * SQLite does for the row and its indexes (`npm run bench:checkouts`). The values that rows have in common are in a
 * temporary table of the connection, and the values that differ are in one blob.
 */
export function createPackedInsert(db: Connection): PackedInsert {
  // An earlier attempt may have stopped halfway, because the database was busy.
  db.exec(`PRAGMA temp_store = MEMORY;
    CREATE TEMP TABLE IF NOT EXISTS row_kinds (n INTEGER PRIMARY KEY, ${KIND.join(", ")});
    CREATE TEMP TABLE IF NOT EXISTS row_slots (n INTEGER PRIMARY KEY);
    WITH RECURSIVE slots (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM slots WHERE n < ${SLOTS - 1})
      INSERT OR IGNORE INTO row_slots SELECT n FROM slots;`);
  const saveKind = db.prepare(
    `INSERT OR REPLACE INTO temp.row_kinds VALUES (?${", ?".repeat(KIND.length)})`,
  );
  const insert = db.prepare(INSERT);
  const blob = Buffer.alloc(SLOTS * WIDTH);
  const kinds = new Map<string, string>();
  /** The values of the last row, and its kind. */
  let last: readonly unknown[] = [];
  let lastKind: string | undefined;
  let rows = 0;

  /** Returns the number of a row's kind; undefined if the kind is too long to be kept. */
  function kindOf(values: readonly unknown[]): string | undefined {
    if (lastKind !== undefined && KIND_PLACES.every((at) => values[at] === last[at])) {
      return lastKind;
    }
    const own = KIND_PLACES.map((at) => values[at]);
    const text = JSON.stringify(own);
    if (text.length > MAX_KIND_LENGTH) return undefined;
    lastKind = kinds.get(text) ?? keep(text, own);
    last = values;
    return lastKind;
  }

  function keep(text: string, own: readonly unknown[]): string {
    if (kinds.size === MAX_KINDS) {
      flush();
      kinds.clear();
    }
    saveKind.run([kinds.size, ...own]);
    const kind = String(kinds.size).padStart(KIND_DIGITS);
    kinds.set(text, kind);
    return kind;
  }

  function flush(): void {
    if (rows === 0) return;
    const packed = blob.subarray(0, rows * WIDTH);
    const expected = rows;
    rows = 0;
    let changes: number;
    try {
      changes = insert.run([packed, expected]).changes;
    } catch (error) {
      if (!/^SQLITE_(CONSTRAINT|MISMATCH)/.test(sqliteCode(error))) throw error;
      throw new RejectedRows("the table rejects a row", { cause: error });
    }
    if (changes !== expected) throw new RejectedRows(`${changes} of ${expected} rows were added`);
  }

  return {
    add(values) {
      const own = ownText(values);
      const kind = own === undefined ? undefined : kindOf(values);
      if (own === undefined || kind === undefined) return false;
      blob.write(`${own}${kind}`, rows * WIDTH, "latin1");
      rows += 1;
      if (rows === SLOTS) flush();
      return true;
    },
    flush,
    reset() {
      rows = 0;
      kinds.clear();
      lastKind = undefined;
    },
  };
}

/**
 * Returns a row's differing values, each with its fixed width; undefined if one does not fit, or would be read as
 * another value.
 */
function ownText(values: readonly unknown[]): string | undefined {
  let text = "";
  for (const { at, length } of TEXT_PLACES) {
    const value = values[at];
    if (value === null) text += " ".repeat(length);
    else if (typeof value === "string" && value.length === length && PLAIN.test(value))
      text += value;
    else return undefined;
  }
  for (const { at, parts } of NUMBER_PLACES) {
    const value = values[at];
    const digits = value === null ? "" : digitsOf(value, parts);
    if (digits === undefined) return undefined;
    text += digits.padStart(DIGITS);
  }
  return text;
}

/** Returns a number as an integer multiple of 1/`parts`, in digits; undefined if that is not exact, or too long. */
function digitsOf(value: unknown, parts: number): string | undefined {
  if (typeof value !== "number") return undefined;
  const whole = Math.round(value * parts);
  if (!Number.isSafeInteger(whole) || whole < 0 || !Object.is(whole / parts, value)) {
    return undefined;
  }
  const digits = String(whole);
  return digits.length <= DIGITS ? digits : undefined;
}
