import type { ActivityRow } from "../sql/rows.ts";
import type { Connection } from "../sqlite/connection.ts";
import { KIND_COLUMNS, type KnownRecord, type RecordKind, SESSION_START } from "./known-record.ts";

/** Most records in one statement. */
const SLOTS = 256;
/** Most kinds that are kept in the connection. */
const MAX_KINDS = 512;

/** Where a record's own values stand, one behind the other, each in so many characters. */
const WIDTHS = {
  id: 26,
  time: 24,
  request: 26,
  prevHash: 64,
  hash: 64,
  session: 64,
  bytesIn: 15,
  bytesOut: 15,
  duration: 15,
  kind: 3,
} as const;
type Field = keyof typeof WIDTHS;

const FIELDS = Object.keys(WIDTHS) as Field[];
const WIDTH = FIELDS.reduce((sum, field) => sum + WIDTHS[field], 0);

/** The bytes of a field of the record in slot `s.n`; in a blob, unlike in a text, that is a step to a place. */
function bytesOf(field: Field): string {
  const before = FIELDS.slice(0, FIELDS.indexOf(field));
  const at = before.reduce((sum, name) => sum + WIDTHS[name], 1);
  return `substr(?1, s.n * ${WIDTH} + ${at}, ${WIDTHS[field]})`;
}

const textOf = (field: Field): string => `CAST(${bytesOf(field)} AS TEXT)`;
const orNull = (field: Field): string =>
  `NULLIF(${bytesOf(field)}, x'${"20".repeat(WIDTHS[field])}')`;
const integerOf = (field: Field): string => `CAST(${orNull(field)} AS INTEGER)`;

const OWN_COLUMNS: Partial<Record<keyof ActivityRow, string>> = {
  id: textOf("id"),
  time: textOf("time"),
  request_id: `RTRIM(${textOf("request")})`,
  prev_hash: textOf("prevHash"),
  hash: textOf("hash"),
  session: `'${SESSION_START}' || CAST(${orNull("session")} AS TEXT)`,
  bytes_in: integerOf("bytesIn"),
  bytes_out: integerOf("bytesOut"),
  // The very double that the decimals are read as: both numbers are exact, and a division is rounded once.
  duration_ms: `${integerOf("duration")} / 1000.0`,
  chain: "?2",
  seq: "?3 + s.n",
};

const INSERT = `INSERT INTO activity (${[...Object.keys(OWN_COLUMNS), ...KIND_COLUMNS].join(", ")})
  SELECT ${[...Object.values(OWN_COLUMNS), ...KIND_COLUMNS.map((column) => `k.${column}`)].join(", ")}
  FROM temp.fold_slots s CROSS JOIN temp.fold_kinds k ON k.n = CAST(${bytesOf("kind")} AS INTEGER)
  WHERE s.n < ?4 ORDER BY s.n`;

/** Inserts records of known kinds, in the caller's transaction. */
export interface PackedInsert {
  /** Takes a record; it may be inserted later, in order. */
  add(record: KnownRecord, chain: string, seq: number): void;
  /** Inserts what was taken. */
  flush(): void;
  /** Forgets what was taken and not inserted, and what the transaction made, which was rolled back. */
  reset(): void;
}

/**
 * Inserts many records with one statement that is given two values: to give it each value of each
 * record takes longer than all that SQLite does with a row and its indexes. What records of a kind have
 * in common stands in a table of the connection, what is a record's own in one blob.
 */
export function createPackedInsert(db: Connection): PackedInsert {
  // A database that was busy may have ended this before, half way.
  db.exec(`CREATE TEMP TABLE IF NOT EXISTS fold_kinds (n INTEGER PRIMARY KEY, ${KIND_COLUMNS.join(", ")});
    CREATE TEMP TABLE IF NOT EXISTS fold_slots (n INTEGER PRIMARY KEY);
    WITH RECURSIVE slots (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM slots WHERE n < ${SLOTS - 1})
      INSERT OR IGNORE INTO fold_slots SELECT n FROM slots;`);
  const saveKind = db.prepare(
    `INSERT OR REPLACE INTO temp.fold_kinds VALUES (?${", ?".repeat(KIND_COLUMNS.length)})`,
  );
  const insert = db.prepare(INSERT);
  const blob = Buffer.alloc(SLOTS * WIDTH);
  const places = new Map<RecordKind, string>();
  let lastKind: RecordKind | undefined;
  let lastPlace = "";
  let text = "";
  let records = 0;
  let first = 0;
  let chainOfAll = "";

  function placeOf(kind: RecordKind): string {
    if (kind === lastKind) return lastPlace;
    lastPlace = places.get(kind) ?? keep(kind);
    lastKind = kind;
    return lastPlace;
  }

  function keep(kind: RecordKind): string {
    if (places.size === MAX_KINDS) {
      flush();
      places.clear();
    }
    saveKind.run([places.size, ...KIND_COLUMNS.map((column) => kind[column])]);
    const place = String(places.size).padStart(WIDTHS.kind);
    places.set(kind, place);
    return place;
  }

  function flush(): void {
    if (records === 0) return;
    const length = blob.write(text, "latin1");
    const { changes } = insert.run([blob.subarray(0, length), chainOfAll, first, records]);
    if (changes !== records) throw new Error(`${changes} of ${records} records were inserted`);
    text = "";
    records = 0;
  }

  return {
    add(record, chain, seq) {
      if (records === SLOTS || seq !== first + records || chain !== chainOfAll) flush();
      const { kind, id, time, request, prevHash, hash, session } = record;
      const { bytesIn, bytesOut, duration } = record;
      const place = placeOf(kind);
      if (records === 0) {
        first = seq;
        chainOfAll = chain;
      }
      text += `${id}${time}${request.padEnd(WIDTHS.request)}${prevHash}${hash}${session === "" ? NO_SESSION : session}${number(bytesIn)}${number(bytesOut)}${number(duration)}${place}`;
      records += 1;
    },
    flush,
    reset() {
      text = "";
      records = 0;
      places.clear();
      lastKind = undefined;
    },
  };
}

const NO_SESSION = " ".repeat(WIDTHS.session);
const SPACES = " ".repeat(WIDTHS.duration);

/** In its width. */
function number(digits: string): string {
  return SPACES.slice(digits.length) + digits;
}
