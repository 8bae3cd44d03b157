/**
 * What can go wrong with the activity records, by code.
 *
 * - `BAD_FILTER`: a filter has a value that it cannot have; `field` names it
 * - `DATA_DIR_UNWRITABLE`: the data directory, or the database in it, cannot be made or written
 * - `DATA_DIR_UNREADABLE`: the data directory exists and cannot be looked into
 * - `DATABASE_UNREADABLE`: the file is not a SQLite database, is damaged, or cannot be read
 * - `DATABASE_NEWER`: a newer release has changed the database
 * - `DATABASE_BUSY`: another process held the database for longer than the limit
 * - `RECORD_UNREADABLE`: a stored record was changed into something that is not a record
 * - `WRITE_FAILED`: records could not be kept (disk full, I/O error)
 * - `BAD_KEY`: a key file holds no Ed25519 key
 * - `BAD_CHECKPOINT`: a checkpoint has another form, or its signature is not right
 * - `BAD_STORE`: the URL of the store cannot be used
 * - `STORE_UNREACHABLE`: the database server cannot be reached, or refuses
 * - `READER_BUSY`: too many questions wait for an answer
 * - `READER_ENDED`: the thread that reads has ended by itself
 * - `CLOSED`: the store was used after `close()`
 */
export type ActivityErrorCode =
  | "BAD_FILTER"
  | "DATA_DIR_UNWRITABLE"
  | "DATA_DIR_UNREADABLE"
  | "DATABASE_UNREADABLE"
  | "DATABASE_NEWER"
  | "DATABASE_BUSY"
  | "RECORD_UNREADABLE"
  | "WRITE_FAILED"
  | "BAD_KEY"
  | "BAD_CHECKPOINT"
  | "BAD_STORE"
  | "STORE_UNREACHABLE"
  | "READER_BUSY"
  | "READER_ENDED"
  | "CLOSED";

/** A failure around activity records: its text says what happened, where, and what to do. */
export class ActivityError extends Error {
  override readonly name: string = "ActivityError";
  readonly code: ActivityErrorCode;
  /** The filter at fault, for `BAD_FILTER`. */
  readonly field: string | undefined;

  constructor(
    code: ActivityErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly field?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.field = options.field;
  }
}

/** The next step that every fault of the data directory shares. */
export const CHOOSE_DATA_DIR: string =
  "Choose another data directory with --data-dir or TOUCHSTONE_DATA_DIR.";
