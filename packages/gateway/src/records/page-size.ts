import type { ActivityRecord } from "./record.ts";

/** Characters of records that are to be held at a time, about: they may have bodies of megabytes. */
const MOST_TEXT = 8 * 1024 * 1024;
/** How many are read before it is known how long they are. */
const FIRST = 50;
/** What the members of a record take beside its bodies, in characters, about. */
const RECORD_LENGTH = 1_000;

/** Returns how many characters records take, about. */
export function lengthOf(
  records: readonly (Pick<ActivityRecord, "arguments" | "result"> | undefined)[],
): number {
  const one = ({ arguments: sent = "", result = "" }: (typeof records)[number] & object): number =>
    sent.length + result.length;
  return records.reduce((sum, record) => sum + RECORD_LENGTH + (record ? one(record) : 0), 0);
}

/** How many records to read next, by the length of those before. */
export class PageSize {
  readonly #most: number;
  #next: number;

  /** @param most records of a page, however short they are */
  constructor(most: number) {
    this.#most = most;
    this.#next = Math.min(FIRST, most);
  }

  get next(): number {
    return this.#next;
  }

  /** @param length of their text, in characters */
  took(records: number, length: number): void {
    if (records === 0) return;
    const fitting = Math.floor((MOST_TEXT * records) / Math.max(1, length));
    // Those that follow short ones may be long.
    this.#next = Math.max(1, Math.min(fitting, 2 * this.#next, this.#most));
  }
}
