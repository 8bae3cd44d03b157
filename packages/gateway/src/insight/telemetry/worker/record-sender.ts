import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "@touchstone/core/plain";
import { type ActivityTail, firstIdAt, type StorePlace } from "@touchstone/records/plain";
import {
  type Bookmark,
  CURSOR_POSITION,
  followActivity,
  LEASE_MS,
  openBookmark,
  openPlace,
} from "@touchstone/records/reading";
import type { ActivityRecord } from "@touchstone/records/record";
import { valueOrTimeout } from "@touchstone/util";
import type { RecordExporter } from "./record-exporter.ts";

/** How many characters one request may have, approximately: collectors refuse requests of several megabytes. */
const MAX_TEXT = 1_000_000;
const MAX_RECORDS = 200;
/** How long to wait after a failure, in milliseconds; doubled after each further one. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** The collector refuses a request of that size (RFC 9110, 15.5.14). */
const TOO_LARGE = 413;

export interface RecordSenderOptions {
  readonly place: StorePlace;
  /** Start of the first process that sends: earlier records are not sent. Milliseconds since 1970. */
  readonly since: number;
  readonly exporter: RecordExporter;
  /** Receives what goes wrong, one sentence each. */
  readonly warn: (message: string) => void;
}

/**
 * Sends the records of a store in commit order, each at least once. Its position is stored next to the records, so
 * that it continues there after a restart. If the collector refuses records, it waits and tries again; none is
 * skipped. If several processes share a store, only one of them sends.
 */
export class RecordSender {
  readonly #options: RecordSenderOptions;
  readonly #stop: AbortController = new AbortController();
  /** Aborted when the sender should send the remaining records, then end. */
  readonly #finish: AbortController = new AbortController();
  readonly #running: Promise<void>;
  /** The most records in one request. */
  #most = MAX_RECORDS;

  constructor(options: RecordSenderOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /**
   * Sends the remaining records, and ends. Records that cannot be sent in time are sent after the next start. Never
   * rejects.
   * @returns whether everything was sent in time
   */
  async finish(milliseconds: number): Promise<boolean> {
    this.#finish.abort();
    const ended = this.#running.then(() => true);
    const inTime = await valueOrTimeout(milliseconds, ended, () => {
      this.#stop.abort();
      return false;
    });
    await this.#running;
    return inTime;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    for (let failures = 0; !this.#isOver(failures > 0); failures += 1) {
      if (failures > 0) await this.#wait(delay(failures));
      try {
        await this.#send(() => {
          failures = 0;
        });
      } catch (error) {
        this.#warn("activity records are not sent", error);
      }
    }
  }

  /** @param isIdle whether nothing was sent just now */
  #isOver(isIdle: boolean): boolean {
    return this.#stop.signal.aborted || (this.#finish.signal.aborted && isIdle);
  }

  /** Sends while this process holds the bookmark. */
  async #send(succeeded: () => void): Promise<void> {
    const { place, since } = this.#options;
    const reader = await openPlace(place).existing();
    if (reader === undefined) return;
    try {
      const bookmark = await openBookmark(place, "otlp");
      const held = new AbortController();
      const signal = AbortSignal.any([this.#stop.signal, held.signal]);
      let beat: NodeJS.Timeout | undefined;
      try {
        // The position of the first record after that time.
        const start = `0-0-${firstIdAt(since)}`;
        const position = await this.#held(bookmark, start);
        if (position === undefined) return;
        beat = setInterval(() => {
          bookmark.hold(start).then(
            (still) => still === undefined && held.abort(),
            () => {},
          );
        }, LEASE_MS / 3).unref();
        for await (const tail of followActivity(reader, { position, signal })) {
          const isEnd = tail.records.length === 0 && tail.isAll;
          if (isEnd && this.#finish.signal.aborted) return this.#stop.abort();
          if (!(await this.#deliver(tail, bookmark, signal))) return;
          succeeded();
        }
      } finally {
        clearInterval(beat);
        await bookmark.close();
      }
    } finally {
      await reader.close();
    }
  }

  /** Waits until no other process sends. */
  async #held(bookmark: Bookmark, start: string): Promise<string | undefined> {
    for (;;) {
      const position = await bookmark.hold(start);
      if (position !== undefined && !CURSOR_POSITION.test(position)) {
        const text = "the saved position is unreadable: earlier records may not be sent";
        this.#options.warn(text);
        return start;
      }
      if (position !== undefined || this.#isOver(true)) return position;
      await this.#wait(LEASE_MS / 3);
    }
  }

  /** Sends the records of a page. @returns false if this is over, or if another process sends now */
  async #deliver(tail: ActivityTail, bookmark: Bookmark, signal: AbortSignal): Promise<boolean> {
    const { exporter } = this.#options;
    let failures = 0;
    for (let at = 0; at < tail.records.length; ) {
      const records = take(tail.records, at, this.#most);
      try {
        await until(exporter.send(records), signal);
      } catch (error) {
        if (signal.aborted) return false;
        this.#warn("the collector has not accepted activity records; they wait", error);
        if (isTooLarge(error) && this.#most > 1) {
          this.#most = Math.max(1, records.length >> 1);
          continue;
        }
        if (this.#isOver(true)) return false;
        failures += 1;
        await this.#wait(delay(failures));
        continue;
      }
      failures = 0;
      at += records.length;
      const position = tail.positions[at - 1];
      if (position !== undefined && !(await bookmark.move(position))) return false;
    }
    return true;
  }

  async #wait(milliseconds: number): Promise<void> {
    // Tries once more at shutdown.
    const signal = AbortSignal.any([this.#stop.signal, this.#finish.signal]);
    await pause(milliseconds, undefined, { signal }).catch(() => {});
  }

  #warn(what: string, error: unknown): void {
    this.#options.warn(`${what}: ${messageOf(error)}`);
  }
}

/**
 * Returns the records of one request: up to that many, with at most {@link MAX_TEXT} of text, except for a single
 * record with more.
 */
function take(
  records: readonly ActivityRecord[],
  from: number,
  most: number,
): readonly ActivityRecord[] {
  let end = from;
  for (let text = 0; end < records.length && end - from < most; end += 1) {
    const { arguments: sent = "", result = "", issues } = records[end] as ActivityRecord;
    text += sent.length + result.length + 500 * (2 + issues.length);
    if (text > MAX_TEXT && end > from) break;
  }
  return records.slice(from, end);
}

function delay(failures: number): number {
  return Math.min(RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === TOO_LARGE;
}

/** Rejects as soon as a signal is aborted, even if the work continues. */
function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error("it was stopped"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
