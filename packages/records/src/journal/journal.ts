import {
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { ownSegment, SEGMENT_IDLE_MS } from "../segments.ts";

/** From this size on, the next segment begins, so that folded segments can be removed. */
const SEGMENT_BYTES = 4 * 1024 * 1024;

/** How often to check whether the file still exists under its name, in milliseconds. */
const LOOK_MS = 1_000;

export interface JournalOptions {
  /** The database's path. */
  readonly database: string;
  readonly chain: string;
  /** `full`: everything that {@link Journal.flush} confirmed survives a loss of power. */
  readonly sync: "normal" | "full";
}

/**
 * The file to which one process appends its chain. When an append returns, the operating system has the data, so it
 * survives the death of the process.
 */
export class Journal {
  readonly #options: JournalOptions;
  #fd: number | undefined;
  /** The current segment: its first position, and its committed bytes. */
  #from = 0;
  #bytes = 0;
  /** When it was last written to, and when its name was last checked. */
  #at = 0;
  #seen = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /**
   * Appends one batch.
   * @param seq chain position of its first record
   * @param line as `BatchLine` returns it
   * @returns how many bytes were written
   * @throws the error of the file system; nothing of the batch is kept then
   */
  append(seq: number, line: Uint8Array): number {
    const fd = this.#open(seq);
    try {
      for (let at = 0; at < line.length; ) at += writeSync(fd, line, at);
    } catch (error) {
      // The next line must not follow half a line.
      this.#give(fd);
      throw error;
    }
    this.#bytes += line.length;
    this.#at = Date.now();
    return line.length;
  }

  /** Resolves when everything appended so far survives a loss of power. */
  flush(): Promise<void> {
    const fd = this.#fd;
    if (fd === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(seq: number): number {
    const now = Date.now();
    const silent = now - this.#at > SEGMENT_IDLE_MS;
    const over = this.#bytes >= SEGMENT_BYTES || silent || this.#isRemoved(now);
    if (this.#fd !== undefined && !over) return this.#fd;
    if (over) {
      this.close();
      this.#from = seq;
      this.#bytes = 0;
    }
    const { database, chain, sync } = this.#options;
    if (this.#bytes === 0) this.#from = seq;
    const segment = { chain, from: this.#from, flushed: sync === "full" };
    const fd = openSync(ownSegment(database, segment), "a", 0o600);
    try {
      if (fstatSync(fd).size > this.#bytes) ftruncateSync(fd, this.#bytes);
      if (sync === "full") syncFolder(dirname(database));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.#fd = fd;
    return fd;
  }

  /** Returns whether the file was removed: writes to it would be lost without an error. */
  #isRemoved(now: number): boolean {
    // Uses the difference in both directions, because the clock may be set back for long.
    if (this.#fd === undefined || Math.abs(now - this.#seen) < LOOK_MS) return false;
    this.#seen = now;
    return fstatSync(this.#fd).nlink === 0;
  }

  /** Closes a file that could not be written; the next batch opens it again and truncates it first. */
  #give(fd: number): void {
    this.#fd = undefined;
    try {
      ftruncateSync(fd, this.#bytes);
    } catch {
      // The next opening tries again, and fails if truncating is still impossible.
    }
    closeSync(fd);
  }
}

/** A new file only survives a loss of power if its folder was flushed as well. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
