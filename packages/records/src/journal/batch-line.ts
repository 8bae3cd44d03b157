import { canonicalRecord, linkRecord, recordDigest, type UnsealedRecord } from "../chain.ts";
import type { ActivityRecord } from "../record.ts";

/** Large enough for most batches. */
const USUAL_BYTES = 64 * 1024;
/** A larger buffer is not reused for the next batch. */
const MOST_KEPT_BYTES = 1024 * 1024;
/** Most UTF-8 bytes for one UTF-16 code unit. */
const BYTES_OF_UNIT = 3;
/** The size of `,"hash":"…"}`, a comma or a bracket, and the line feed. */
const TAIL_BYTES = 96;

const COMMA = 0x2c;
const CLOSE_ARRAY = 0x5d;
const LINE_FEED = 0x0a;

/**
 * Writes the lines of a journal: the position of a batch's first record, a space, and an array of records, each
 * sealed as it is added. The line feed commits a batch, so that a batch exists either completely or not at all. A
 * record's text is written once, into a reused buffer, and hashed there.
 */
export class BatchLine {
  #bytes: Buffer = Buffer.allocUnsafe(USUAL_BYTES);
  #length = 0;
  #head = "";
  #records = 0;

  /** The hash of the last added record, or of the record before the batch. */
  get head(): string {
    return this.#head;
  }

  /** How many records were added. */
  get records(): number {
    return this.#records;
  }

  /**
   * @param seq chain position of the first record
   * @param head the hash of the record before it
   */
  begin(seq: number, head: string): void {
    if (this.#bytes.length > MOST_KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(USUAL_BYTES);
    this.#length = this.#bytes.write(`${seq} [`, "latin1");
    this.#head = head;
    this.#records = 0;
  }

  /**
   * @param record becomes the returned record
   * @throws TypeError if canonical JSON cannot represent it; discard the batch then
   */
  add(record: UnsealedRecord): ActivityRecord {
    const sealed = linkRecord(record, this.#head);
    const text = canonicalRecord(sealed);
    this.#reserve(text.length * BYTES_OF_UNIT + TAIL_BYTES);
    const bytes = this.#bytes;
    if (this.#records > 0) bytes[this.#length++] = COMMA;
    const start = this.#length;
    const end = start + bytes.write(text, start);
    const hash = recordDigest(bytes.subarray(start, end));
    // Replaces the object's closing bracket.
    this.#length = end - 1 + bytes.write(`,"hash":"${hash}"}`, end - 1, "latin1");
    sealed.hash = hash;
    this.#head = hash;
    this.#records += 1;
    return sealed as ActivityRecord;
  }

  /** The line; valid until the next batch begins. */
  end(): Uint8Array {
    this.#bytes[this.#length++] = CLOSE_ARRAY;
    this.#bytes[this.#length++] = LINE_FEED;
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
