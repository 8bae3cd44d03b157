import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { CURSOR_POSITION, isRecordId } from "../cursor.ts";
import type { ActivityTail } from "../store.ts";
import { queryBuilder } from "./builder.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { type ActivityRow, fromRow } from "./rows.ts";
import type { Dialect } from "./tables.ts";

/** A record's position in the order of commits. Ids are not in that order across processes. */
interface CommitPosition {
  readonly transaction: string;
  readonly row: string;
}

interface Order {
  readonly transaction: RawBuilder<string>;
  readonly row: RawBuilder<string>;
  /** Whether no open transaction can still insert a record before this one. */
  readonly settled: RawBuilder<boolean>;
  readonly by: readonly RawBuilder<unknown>[];
  readonly at: (place: CommitPosition) => RawBuilder<boolean>;
  readonly beyond: (place: CommitPosition) => RawBuilder<boolean>;
}

/**
 * SQLite has one writer at a time, so row ids increase with commits. PostgreSQL has many: records are in the order of
 * their transactions, and only those older than the oldest open transaction are returned.
 */
const ORDERS: Readonly<Record<Dialect, Order>> = {
  sqlite: {
    transaction: sql`'0'`,
    row: sql`CAST(rowid AS TEXT)`,
    settled: sql`1`,
    by: [sql`rowid`],
    at: ({ row }) => sql`rowid = ${Number(row)}`,
    beyond: ({ row }) => sql`rowid > ${Number(row)}`,
  },
  postgres: {
    transaction: sql`xid::text`,
    row: sql`position::text`,
    settled: sql`xid < pg_snapshot_xmin(pg_current_snapshot())`,
    by: [sql`xid`, sql`position`],
    at: ({ transaction, row }) =>
      sql`(xid, position) = (${transaction}::text::xid8, ${row}::text::bigint)`,
    beyond: ({ transaction, row }) =>
      sql`(xid, position) > (${transaction}::text::xid8, ${row}::text::bigint)`,
  },
};

/** SQLite returns booleans as numbers. */
type PlacedRow = ActivityRow & CommitPosition & { readonly settled: boolean | number };

/**
 * Returns records in the order in which they were committed.
 *
 * @param position where to continue; undefined for the end, which returns no records yet. If its record is gone or
 *   invalid, continues after that record's id, or at the end.
 */
export async function readTail(
  db: ReadDatabase,
  run: RunQuery,
  position: string | undefined,
  limit: number,
): Promise<ActivityTail> {
  const order = ORDERS[db.dialect];
  const { transaction, row } = order;
  const build = queryBuilder(db.dialect);
  const placed = build
    .selectFrom("activity")
    .selectAll()
    .select([transaction.as("transaction"), row.as("row"), order.settled.as("settled")]);
  const [, lastTransaction, lastRow, lastId] = CURSOR_POSITION.exec(position ?? "") ?? [];
  if (lastTransaction === undefined || lastRow === undefined || lastId === undefined) {
    const settled = placed.where(order.settled);
    const newest = order.by.reduce((query, column) => query.orderBy(column, "desc"), settled);
    const [end] = await run<PlacedRow>(newest.limit(1).compile());
    const begin = end === undefined ? EMPTY : positionOf(end);
    return { records: [], positions: [], position: begin, isAll: false };
  }
  const place = { transaction: lastTransaction, row: lastRow };
  /** Row ids are reused if the newest records were removed, and `VACUUM` may assign new ones, in the same order. */
  async function placeNow(before: CommitPosition, of: string): Promise<CommitPosition | undefined> {
    const columns = build
      .selectFrom("activity")
      .select(["id", transaction.as("transaction"), row.as("row")]);
    type Found = CommitPosition & Pick<ActivityRow, "id">;
    const [there] = await run<Found>(columns.where(order.at(before)).compile());
    if (there !== undefined && idInPosition(there.id) === of) return there;
    if (!isRecordId(of)) return undefined;
    const [moved] = await run<Found>(columns.where("id", "=", of).compile());
    return moved;
  }
  const here = await placeNow(place, lastId);
  // An invalid id does not show which records came after it.
  const beyond =
    here === undefined && isRecordId(lastId)
      ? sql<boolean>`id > ${lastId}`
      : order.beyond(here ?? place);
  const next = order.by.reduce((query, column) => query.orderBy(column), placed.where(beyond));
  const found = await run<PlacedRow>(next.limit(limit).compile());
  // Records that are not settled have the highest transactions, so they are last.
  const rows = found.filter(({ settled }) => Boolean(settled));
  const positions = rows.map(positionOf);
  return {
    records: rows.map((each) => fromRow(each, db.place)),
    positions,
    position: positions.at(-1) ?? position ?? EMPTY,
    isAll: found.length < limit && rows.length === found.length,
  };
}

/** The position before the first possible record. */
const EMPTY = `0-0-${"0".repeat(26)}`;

function positionOf({ transaction, row, id }: PlacedRow): string {
  return `${transaction}-${row}-${idInPosition(id)}`;
}

/**
 * Returns the part of a position that represents a record's id; for an invalid id, a short text that identifies it.
 */
function idInPosition(id: string): string {
  if (isRecordId(id)) return id;
  return `x${createHash("sha256").update(String(id)).digest("hex").slice(0, 24)}`;
}
