const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const PREFIX = "after:";

/** A position in the order of commits: transaction, row, and the record's id, or a digest if that is not an id. */
export const CURSOR_POSITION: RegExp =
  /^(\d{1,15})-(\d{1,15})-([0-7][0-9A-HJKMNP-TV-Z]{25}|x[0-9a-f]{24})$/;

/** Returns whether the text is a record id: a ULID in upper case. */
export function isRecordId(text: string): boolean {
  return ULID.test(text);
}

/** Returns the opaque cursor of the page that continues after this record. */
export function encodeCursor(id: string): string {
  return Buffer.from(PREFIX + id, "latin1").toString("base64url");
}

/** Returns the record id in a cursor; undefined if {@link encodeCursor} did not make it. */
export function decodeCursor(cursor: string): string | undefined {
  if (cursor.length > 64) {
    return undefined;
  }
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const id = text.slice(PREFIX.length);
  return isRecordId(id) && encodeCursor(id) === cursor ? id : undefined;
}
