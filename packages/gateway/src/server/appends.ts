import type { ActivityEntry, ActivityRecord } from "@touchstone/records/record";
import type { Logger } from "@touchstone/util";
import { DegradedStore } from "./degraded-store.ts";
import { StoreProbe } from "./store-probe.ts";

type Written = readonly ActivityRecord[];

/**
 * After this time, work in a store counts as hanging: busy disks take seconds, and the time limit for a silent
 * database is much longer.
 */
const STALLED_MS = 5_000;

export interface RecordAppenderParts {
  /** Writes to the current store; rejects if that is not possible. */
  readonly write: (entries: readonly ActivityEntry[]) => Promise<Written>;
  /** Whether to refuse a message whose record cannot be kept (`activity.on_write_failure`). */
  readonly refuses: () => boolean;
  /** Rejects if the store accepts no records at the moment; absent if only a write can show that. */
  readonly writable?: () => Promise<void>;
  readonly log: Logger;
}

/**
 * Appends to a store that may fail for a while. Knows since when it fails; after a failure, it writes a record of the
 * gap before the next record.
 */
export class RecordAppender {
  readonly #parts: RecordAppenderParts;
  readonly #goingOn: DegradedStore;
  #failingSince: Date | undefined;
  #trying: Promise<void> | undefined;
  readonly #look: StoreProbe | undefined;
  /** Unfinished work of the store, in order. */
  readonly #underWay: Set<{ readonly since: number }> = new Set();

  constructor(parts: RecordAppenderParts) {
    this.#parts = parts;
    this.#goingOn = new DegradedStore(parts.log);
    const { writable } = parts;
    if (writable !== undefined) this.#look = new StoreProbe(() => this.#timed(writable));
  }

  /** Whether a record of the gap is being written; a second one is not needed. */
  #telling = false;

  /** When records could no longer be kept; undefined while they are. */
  get failingSince(): Date | undefined {
    return this.#failingSince;
  }

  /** Appends entries. Rejects if they cannot be kept and `refuses` returns true. */
  append(entries: readonly ActivityEntry[]): Promise<Written> {
    const write = (): Promise<Written> => this.#timed(() => this.#write(entries));
    return this.#parts.refuses() ? write() : this.#goingOn.append(entries.length, write);
  }

  /**
   * Does other work in the store. If a failing store must not block messages, the caller continues without the
   * result.
   */
  work<T>(work: () => Promise<T>): Promise<T> {
    const timed = (): Promise<T> => this.#timed(work);
    return this.#parts.refuses() ? timed() : this.#goingOn.work(timed);
  }

  /**
   * If records could not be kept recently, tries to keep one that reports the gap; else checks whether they could be
   * kept.
   * @returns whether records are kept (again); false while the store hangs
   */
  async kept(): Promise<boolean> {
    if (this.#stalled) return false;
    if (this.#failingSince === undefined) return (await this.#look?.passes()) ?? true;
    this.#trying ??= this.#try().finally(() => {
      this.#trying = undefined;
    });
    await this.#trying;
    return this.#failingSince === undefined;
  }

  /** Logs the final losses. */
  close(): void {
    this.#goingOn.close();
  }

  get #stalled(): boolean {
    const [oldest] = this.#underWay;
    return oldest !== undefined && performance.now() - oldest.since >= STALLED_MS;
  }

  #timed<T>(work: () => Promise<T>): Promise<T> {
    const begun = { since: performance.now() };
    this.#underWay.add(begun);
    return work().finally(() => this.#underWay.delete(begun));
  }

  #write(entries: readonly ActivityEntry[]): Promise<Written> {
    const since = this.#failingSince;
    const tells = since !== undefined && !this.#telling;
    const written = tells ? this.#writeBehind(since, entries) : this.#parts.write(entries);
    return written.then(
      (records) => {
        this.#look?.wrote();
        return records;
      },
      (error: unknown) => {
        this.#failingSince ??= new Date();
        throw error;
      },
    );
  }

  async #writeBehind(since: Date, entries: readonly ActivityEntry[]): Promise<Written> {
    this.#telling = true;
    try {
      const [, ...records] = await this.#parts.write([gapSince(since), ...entries]);
      this.#failingSince = undefined;
      this.#goingOn.over();
      return records;
    } finally {
      this.#telling = false;
    }
  }

  async #try(): Promise<void> {
    try {
      await this.append([]);
    } catch {
      // The next call tries again.
    }
  }
}

function gapSince(since: Date): ActivityEntry {
  const reason = `records could not be kept from ${since.toISOString()} on; now they are again`;
  return { type: "server_change", source: "gateway", reason };
}
