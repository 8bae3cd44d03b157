import { TouchstoneError } from "@touchstone/util/plain";

/** Failures of activity records, by code. */
export const ACTIVITY_ERRORS = {
  BAD_FILTER: [400, "A filter has an invalid value; `field` names it"],
  DATA_DIR_UNWRITABLE: [
    503,
    "The data directory, or the database in it, cannot be created or written",
  ],
  DATA_DIR_UNREADABLE: [503, "The data directory exists and cannot be read"],
  DATABASE_UNREADABLE: [503, "The file is not a SQLite database, is damaged, or cannot be read"],
  DATABASE_NEWER: [503, "A newer release has changed the database"],
  DATABASE_BUSY: [503, "Another process held the database for longer than the limit"],
  RECORD_UNREADABLE: [503, "A stored record was changed and cannot be read anymore"],
  WRITE_FAILED: [503, "Records could not be kept (disk full, I/O error)"],
  BAD_KEY: [503, "A key file contains no Ed25519 key"],
  BAD_CHECKPOINT: [503, "A checkpoint has an unknown format, or its signature is wrong"],
  BAD_STORE: [503, "The URL of the store cannot be used"],
  STORE_UNREACHABLE: [503, "The database server cannot be reached, or refuses"],
  READER_BUSY: [503, "Too many queries are waiting"],
  READER_ENDED: [503, "The thread that reads has ended by itself"],
  CLOSED: [503, "The store was used after `close()`"],
} as const;

export type ActivityErrorCode = keyof typeof ACTIVITY_ERRORS;

/** A failure of activity records. Its text says what happened, where, and what to do. */
export class ActivityError extends TouchstoneError<ActivityErrorCode> {
  /** The invalid filter, for `BAD_FILTER`. */
  readonly field: string | undefined;

  constructor(
    code: ActivityErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly field?: string } = {},
  ) {
    super("ActivityError", ACTIVITY_ERRORS, code, message, options);
    this.field = options.field;
  }
}

/** The next step for every fault of the data directory. */
export const CHOOSE_DATA_DIR: string =
  "Choose another data directory with --data-dir or TOUCHSTONE_DATA_DIR.";
