import { createHash } from "node:crypto";

const HASH = /^sha256:[0-9a-f]{64}$/;

/** Returns a session's id as records have it: its hash, which the id may be already. */
export function sessionHash(id: string): string {
  return HASH.test(id) ? id : `sha256:${createHash("sha256").update(id, "utf8").digest("hex")}`;
}
