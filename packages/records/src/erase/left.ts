import { hasOwnHash } from "../chain.ts";
import { erasedRemainder, remainderDigest } from "../erased-record.ts";
import { type ActivityRecord, RECORD_FIELDS } from "../record.ts";
import { type ActivityRow, COLUMNS, fromRow, hasOwnRules, rowValues } from "../sql/rows.ts";

/** The content of a row after an erasure. */
export interface RowRemainder {
  readonly row: ActivityRow;
  /**
   * The digest of the remaining content; undefined if the row was tampered with: the record of an erasure must not
   * confirm the change.
   */
  readonly digest: string | undefined;
  /** The values of the columns, in their order. */
  readonly values: readonly unknown[];
  readonly isSalted: boolean;
}

/** Returns the content of a row without what it contains about a person. */
export function rowRemainder(row: ActivityRow, place: string): RowRemainder {
  let record: ActivityRecord;
  try {
    record = fromRow(row, place);
  } catch {
    return { row, digest: undefined, values: blanked(row), isSalted: true };
  }
  const left = erasedRemainder(record);
  const isIntact = record.erased !== true && hasOwnHash(record) && hasOwnRules(row, record);
  return {
    row,
    digest: isIntact ? remainderDigest(left) : undefined,
    values: rowValues(left, row.chain, row.seq),
    isSalted: record.salt !== undefined,
  };
}

const UNREADABLE = new Map<keyof ActivityRow, string | null>([
  ...RECORD_FIELDS.flatMap(([name, { personal, column }]) =>
    personal === true && column !== undefined ? [[name as keyof ActivityRow, null] as const] : [],
  ),
  ["issues", "[]"],
  ["extra", null],
]);

/** Returns the values of a row that is no longer a valid record, without all texts that may name people. */
function blanked(row: ActivityRow): readonly unknown[] {
  return COLUMNS.map(({ name }) => (UNREADABLE.has(name) ? UNREADABLE.get(name) : row[name]));
}
