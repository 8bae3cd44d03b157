import { type TimeSlice, threadSlice } from "@touchstone/util";
import { MAX_RECORDS_OF_TURN } from "./bounds.ts";
import { type BodySettings, bodyBytesOf, bodyTextsOf, buildRecord } from "./build.ts";
import type { UnsealedRecord } from "./chain.ts";
import { nextId } from "./ids.ts";
import type { ActivityEntry } from "./record.ts";

/** Bodies of at most this many bytes are redacted at once, which takes as long as one step for longer ones. */
const SHORT_BYTES = 2_048;

/**
 * Builds the records of appends in the order of the calls: while the time slice lasts, else in later turns of the event
 * loop. Bodies are redacted in steps.
 */
export class RecordBuilder {
  readonly #now: () => Date;
  readonly #bodies: BodySettings | undefined;
  readonly #slice: TimeSlice;
  #last: Promise<void> = Promise.resolve();
  /** How many appends are waiting or being built. */
  #busy = 0;

  /** @param bodies absent if arguments and results are not kept */
  constructor(now: () => Date, bodies: BodySettings | undefined, slice: TimeSlice = threadSlice) {
    this.#now = now;
    this.#bodies = bodies;
    this.#slice = slice;
  }

  /** Resolves when all appends are built; undefined if they are. */
  get building(): Promise<void> | undefined {
    return this.#busy === 0 ? undefined : this.#last;
  }

  /**
   * Builds the records of one append.
   * @param deliver receives them, after the records of all earlier appends; at once if they are short
   * @param fail receives what a step threw
   */
  build(
    entries: readonly ActivityEntry[],
    deliver: (records: readonly UnsealedRecord[]) => void,
    fail: (error: unknown) => void,
  ): void {
    const time = this.#now();
    if (this.#busy === 0 && this.#slice.hasTime && this.#isShort(entries)) {
      deliver(entries.map((entry) => buildRecord(entry, nextId(time), time, this.#bodies)));
      return;
    }
    this.#busy += 1;
    this.#last = this.#last.then(async () => {
      try {
        deliver(await this.#slice.take(this.#steps(entries, time)));
      } catch (error) {
        fail(error);
      } finally {
        this.#busy -= 1;
      }
    });
  }

  #isShort(entries: readonly ActivityEntry[]): boolean {
    if (entries.length > MAX_RECORDS_OF_TURN) return false;
    if (this.#bodies === undefined) return true;
    let bytes = 0;
    for (const entry of entries) bytes += bodyBytesOf(entry);
    return bytes <= SHORT_BYTES;
  }

  *#steps(
    entries: readonly ActivityEntry[],
    time: Date,
  ): Generator<void, readonly UnsealedRecord[], void> {
    const bodies = this.#bodies;
    const records: UnsealedRecord[] = [];
    for (const entry of entries) {
      const texts = bodies && (yield* bodyTextsOf(entry, bodies));
      records.push(buildRecord(entry, nextId(time), time, bodies, texts));
      yield;
    }
    return records;
  }
}
