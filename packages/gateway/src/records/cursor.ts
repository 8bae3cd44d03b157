const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const PREFIX = "after:";

/** Whether the text is an id as records have it: a ULID in upper case. */
export function isRecordId(text: string): boolean {
  return ULID.test(text);
}

/** The opaque cursor of the page that goes on below this record. */
export function encodeCursor(id: string): string {
  return Buffer.from(PREFIX + id, "latin1").toString("base64url");
}

/** The record id in a cursor, or `undefined` where {@link encodeCursor} did not make it. */
export function decodeCursor(cursor: string): string | undefined {
  if (cursor.length > 64) {
    return undefined;
  }
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const id = text.slice(PREFIX.length);
  return isRecordId(id) && encodeCursor(id) === cursor ? id : undefined;
}
