import { randomFillSync } from "node:crypto";

/** Enough bytes that nobody can try all salts of a name. */
const BYTES = 16;
/** Requesting each salt from the system would take longer than hashing a record. */
const pool = Buffer.alloc(BYTES * 256);
let used = pool.length;

/** Returns 16 random bytes in base64url. */
export function newSalt(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const salt = pool.toString("base64url", used, used + BYTES);
  used += BYTES;
  return salt;
}
