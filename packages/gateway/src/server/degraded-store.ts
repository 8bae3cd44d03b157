import { messageOf } from "@touchstone/core/advanced";
import type { ActivityRecord } from "@touchstone/records/record";
import { type Logger, valueOrTimeout } from "@touchstone/util";

type Written = readonly ActivityRecord[];

/** How long a message waits for a store that seems to work: busy disks take seconds. */
const HOLD_MS = 5_000;
/** How long a message waits for a store that failed before. */
const PATIENCE_MS = 250;

/**
 * Appends of a gateway that continues when they fail (`activity.on_write_failure: "continue"`). A store may fail at
 * once, or hang longer than a message waits for it. After a failure no message waits for the store; one append at a
 * time tries whether it works again. Records are lost until it does; the log reports when that begins and, at the
 * end, how many were lost.
 */
export class DegradedStore {
  readonly #log: Logger;
  #failing = false;
  #lost = 0;
  /** Releases the callers that wait for appends from before the failure. */
  readonly #waiting: Set<() => void> = new Set();
  #attempt: Promise<Written> | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Appends `count` records. Never rejects.
   * @param write rejects if they cannot be kept
   * @returns the records; empty if they are lost, or if it is no longer useful to wait
   */
  append(count: number, write: () => Promise<Written>): Promise<Written> {
    if (this.#failing) return this.#try(count, write);
    const written = new Promise<Written>((resolve) => {
      const leave = (): void => resolve([]);
      this.#waiting.add(leave);
      write()
        .then(resolve, (error: unknown) => this.#fail(count, error))
        .finally(() => {
          this.#waiting.delete(leave);
          leave();
        });
    });
    return valueOrTimeout(HOLD_MS, written, () => []);
  }

  /** Does other work in the store; waits for it at most as long as for an append. */
  work<T>(work: () => Promise<T>): Promise<T> {
    const failing = (): Error => new Error("the record store fails");
    if (this.#failing) return Promise.reject(failing());
    const done = new Promise<T>((resolve, reject) => {
      const leave = (): void => reject(failing());
      this.#waiting.add(leave);
      work()
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(leave));
    });
    return valueOrTimeout(HOLD_MS, done, () => {
      throw new Error("the record store does not respond");
    });
  }

  /** Called when records are kept again. */
  over(): void {
    this.#tell("records are kept again");
    this.#failing = false;
  }

  close(): void {
    this.#tell("records could not be written");
  }

  #try(count: number, write: () => Promise<Written>): Promise<Written> {
    if (this.#attempt !== undefined) {
      this.#lost += count;
      return Promise.resolve([]);
    }
    this.#attempt = write()
      .catch(() => {
        this.#lost += count;
        return [];
      })
      .finally(() => {
        this.#attempt = undefined;
      });
    return valueOrTimeout(PATIENCE_MS, this.#attempt, () => []);
  }

  #fail(count: number, error: unknown): void {
    this.#lost += count;
    if (this.#failing) return;
    this.#failing = true;
    const reason = messageOf(error);
    this.#log.error("records are lost, and messages are still forwarded, as configured", {
      records: count,
      reason,
    });
    for (const leave of this.#waiting) leave();
  }

  #tell(what: string): void {
    if (!this.#failing) return;
    this.#log.error(what, { lost: this.#lost });
    this.#lost = 0;
  }
}
