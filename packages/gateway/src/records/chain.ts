import { hash as digest } from "node:crypto";
import { canonicalJson } from "./canonical.ts";
import { type ActivityRecord, RECORD_FIELDS } from "./record.ts";

/** The `prev_hash` of the first record of a chain. */
export const CHAIN_START: string = "0".repeat(64);

/** A record with a place in its chain but no hash yet. */
export type UnsealedRecord = Omit<ActivityRecord, "hash" | "prev_hash">;

/**
 * Makes a record the next link after `previousHash`.
 *
 * The hash is SHA-256 in hex over the canonical JSON (RFC 8785) of the record with its `prev_hash` and without
 * `hash`, in UTF-8.
 *
 * @param previousHash the `hash` of the record before it, or {@link CHAIN_START}
 * @param record becomes the returned record: a copy would take longer than the hash
 * @throws TypeError if canonical JSON cannot represent the record (lone surrogates, `NaN`)
 */
export function seal(previousHash: string, record: UnsealedRecord): ActivityRecord {
  const sealed = linked(record, previousHash);
  sealed.hash = digestOf(canonicalJson(sealed));
  return sealed as ActivityRecord;
}

/** Gives a record its place in a chain. Its `hash` is `undefined`, and so not hashed, until the caller sets it. */
export function linked(
  record: UnsealedRecord,
  previousHash: string,
): UnsealedRecord & { hash: string | undefined } {
  const link: Mutable<UnsealedRecord & { prev_hash?: string; hash?: string | undefined }> = record;
  link.prev_hash = previousHash;
  // It may have one from a failed attempt.
  link.hash = undefined;
  return link as UnsealedRecord & { hash: string | undefined };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** All fields of records in the order of hashing, so that a record's copy has its members in that order. */
const IN_ORDER = Object.fromEntries(
  RECORD_FIELDS.map(([name]) => [name, undefined] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
);

/**
 * Returns the canonical JSON of a record whose numbers are finite: `canonicalJson` in about half of the time, because
 * the names of the fields are known (`npm run bench:checkouts`).
 *
 * @throws TypeError if canonical JSON cannot represent the record (lone surrogates)
 */
export function canonicalRecord(record: UnsealedRecord): string {
  // Their members may have any order.
  if (record.issues.length > 0 || record.guard !== undefined) return canonicalJson(record);
  const text = JSON.stringify({ ...IN_ORDER, ...record });
  // `JSON.stringify` escapes a lone surrogate.
  return text.includes("\\ud") ? canonicalJson(record) : text;
}

/** Returns the SHA-256 of a record's canonical JSON, in hex. */
export function digestOf(canonical: string | Uint8Array): string {
  return digest("sha256", canonical, "hex");
}

/** The result of {@link verifyChain}. */
export type ChainVerdict =
  | {
      readonly ok: true;
      /** Hash of the last record, or the starting hash if there was none. */
      readonly head: string;
    }
  | {
      readonly ok: false;
      /** Position of the first record that does not fit. */
      readonly index: number;
      readonly id: string;
      /** `content`: the record was changed; `link`: records before it are missing or reordered. */
      readonly fault: "content" | "link";
    };

/**
 * Checks that every record follows from the one before it, and stops at the first that does not. Records removed from
 * the end leave no trace in the chain itself. Never throws.
 *
 * @param records one chain, oldest first
 * @param previousHash the hash before the first of them; {@link CHAIN_START} for a whole chain
 */
export function verifyChain(
  records: readonly ActivityRecord[],
  previousHash: string = CHAIN_START,
): ChainVerdict {
  let head = previousHash;
  for (const [index, record] of records.entries()) {
    if (record.prev_hash !== head) {
      return { ok: false, index, id: record.id, fault: "link" };
    }
    if (!hasOwnHash(record)) {
      return { ok: false, index, id: record.id, fault: "content" };
    }
    head = record.hash;
  }
  return { ok: true, head };
}

/** Returns whether a record's `hash` matches its content. Never throws. */
export function hasOwnHash(record: ActivityRecord): boolean {
  const { hash, ...rest } = record;
  try {
    return digestOf(canonicalJson(rest)) === hash;
  } catch {
    return false;
  }
}
