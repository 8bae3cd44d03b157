import type { ActivityRecord } from "./record.ts";

/** About how many characters of records to hold at a time: records may have bodies of megabytes. */
const MOST_TEXT = 8 * 1024 * 1024;
/** How many records to read before their length is known. */
const FIRST = 50;
/** About how many characters a record has without its bodies. */
const RECORD_LENGTH = 1_000;

/** Returns about how many characters records have. */
export function recordsLength(
  records: readonly (Pick<ActivityRecord, "arguments" | "result"> | undefined)[],
): number {
  const one = ({ arguments: sent = "", result = "" }: (typeof records)[number] & object): number =>
    sent.length + result.length;
  return records.reduce((sum, record) => sum + RECORD_LENGTH + (record ? one(record) : 0), 0);
}

/** Chooses how many records to read next, by the length of the previous ones. */
export class PageSize {
  readonly #most: number;
  #next: number;

  /** @param most the most records of a page, however short they are */
  constructor(most: number) {
    this.#most = most;
    this.#next = Math.min(FIRST, most);
  }

  get next(): number {
    return this.#next;
  }

  /** @param length the most characters of their text */
  took(records: number, length: number): void {
    if (records === 0) return;
    const fitting = Math.floor((MOST_TEXT * records) / Math.max(1, length));
    // Long records may follow short ones.
    this.#next = Math.max(1, Math.min(fitting, 2 * this.#next, this.#most));
  }
}
