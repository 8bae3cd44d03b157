import { createHash } from "node:crypto";

const HASH = /^sha256:[0-9a-f]{64}$/;

/** Returns a session's id in the form of records: its hash; an id that already is a hash stays. */
export function sessionHash(id: string): string {
  return HASH.test(id) ? id : `sha256:${createHash("sha256").update(id, "utf8").digest("hex")}`;
}
