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
import { ownSegment, SILENCE_MS } from "./segments.ts";

/** Beyond this many bytes the next segment is begun, so that what is folded can be removed. */
const SEGMENT_BYTES = 4 * 1024 * 1024;

/** How often it is looked whether the file still has its name, in milliseconds. */
const LOOK_MS = 1_000;

export interface JournalOptions {
  /** The database's path. */
  readonly database: string;
  readonly chain: string;
  /** `full`: what {@link Journal.flush} has answered for survives loss of power. */
  readonly sync: "normal" | "full";
}

/**
 * The file to which one process appends its chain. What was appended is with the operating system
 * when the call returns, and so survives the death of the process.
 */
export class Journal {
  readonly #options: JournalOptions;
  #fd: number | undefined;
  /** The segment that is written: where it begins, and its bytes that are committed. */
  #from = 0;
  #bytes = 0;
  /** When it was last written to, and when its name was last looked for. */
  #at = 0;
  #seen = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /**
   * Appends one batch.
   * @param seq position in the chain of its first record
   * @param line as `BatchLine` gives it
   * @returns how many bytes were written
   * @throws the error of the file system; then nothing of the batch is kept
   */
  append(seq: number, line: Uint8Array): number {
    const fd = this.#open(seq);
    try {
      for (let at = 0; at < line.length; ) at += writeSync(fd, line, at);
    } catch (error) {
      // The half of a line must not be in front of the next one.
      this.#give(fd);
      throw error;
    }
    this.#bytes += line.length;
    this.#at = Date.now();
    return line.length;
  }

  /** Resolves once everything appended so far survives loss of power. */
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
    const silent = now - this.#at > SILENCE_MS;
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

  /** Whether somebody has removed the file: what is written to it is lost, and no write tells. */
  #isRemoved(now: number): boolean {
    // The clock may be set back, and would be behind for long.
    if (this.#fd === undefined || Math.abs(now - this.#seen) < LOOK_MS) return false;
    this.#seen = now;
    return fstatSync(this.#fd).nlink === 0;
  }

  /** Gives up a file that could not be written; the next batch opens it again and cuts it first. */
  #give(fd: number): void {
    this.#fd = undefined;
    try {
      ftruncateSync(fd, this.#bytes);
    } catch {
      // The next opening tries again, and fails where that still cannot be done.
    }
    closeSync(fd);
  }
}

/** A new file is there after a loss of power only where its folder was flushed as well. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
