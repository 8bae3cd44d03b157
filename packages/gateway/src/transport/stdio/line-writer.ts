import type { Writable } from "node:stream";
import { singleLine } from "@touchstone/protocol";

const LINE_FEED = new Uint8Array([0x0a]);
const CARRIAGE_RETURN = 0x0d;
/** What is copied together into one write; larger lines are written as they are. */
const SMALL_BYTES = 16_384;
/** What is written at once, though more may come in the same turn of the event loop. */
const ENOUGH_BYTES = 65_536;
/** What {@link LineWriter.write} gives where nobody has to wait. */
const THERE_IS_ROOM: Promise<void> = Promise.resolve();

/**
 * Writes lines to a stream. Those of one turn of the event loop go out together, behind everything
 * that this turn does at once: a write to a pipe costs more than what is done for a small line.
 */
export class LineWriter {
  readonly #stream: Writable;
  #gone = false;
  /** Lets go of who waits for room. */
  #release: () => void = () => {};
  #parts: Uint8Array[] = [];
  #size = 0;
  #due = false;
  #room: Promise<void> | undefined;

  /** @param gone resolves when nobody reads any more: whoever waits for room need not wait then */
  constructor(stream: Writable, gone: Promise<unknown>) {
    this.#stream = stream;
    // Once, since what waits for a promise stays with it: a slow reader is waited for time and again.
    void gone.then(() => {
      this.#gone = true;
      this.#release();
    });
  }

  /**
   * Writes a line and its line feed, or drops it where the stream is over. A CR inside of it becomes a
   * space. Resolves when there is room for more.
   */
  write(line: Uint8Array): Promise<void> {
    if (this.#isOver()) return THERE_IS_ROOM;
    this.#parts.push(onOneLine(line), LINE_FEED);
    this.#size += line.length + 1;
    if (this.#size >= ENOUGH_BYTES) this.flush();
    else if (!this.#due) {
      this.#due = true;
      process.nextTick(() => {
        this.#due = false;
        this.flush();
      });
    }
    return this.#room ?? THERE_IS_ROOM;
  }

  /** Hands what was written so far to the stream. */
  flush(): void {
    const parts = this.#parts;
    const size = this.#size;
    if (size === 0) return;
    this.#parts = [];
    this.#size = 0;
    if (this.#isOver()) return;
    const small = (size * 2) / parts.length < SMALL_BYTES;
    const room = small ? this.#stream.write(Buffer.concat(parts, size)) : this.#writeAll(parts);
    if (!room) this.#room ??= this.#drained();
  }

  #isOver(): boolean {
    return this.#stream.destroyed || this.#stream.writableEnded;
  }

  #writeAll(parts: readonly Uint8Array[]): boolean {
    const stream = this.#stream;
    let room = true;
    stream.cork();
    for (const part of parts) room = stream.write(part);
    stream.uncork();
    return room && !stream.writableNeedDrain;
  }

  async #drained(): Promise<void> {
    const stream = this.#stream;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stream.off("drain", done);
        stream.off("close", done);
        resolve();
      };
      stream.once("drain", done);
      stream.once("close", done);
      this.#release = done;
      if (this.#gone) done();
    });
    this.#room = undefined;
  }
}

/**
 * Many read lines by something that ends them at a CR as well (`readline`, Python's text mode). What
 * stands between two of them would be a message of its own there, which nobody has judged.
 */
function onOneLine(line: Uint8Array): Uint8Array {
  const at = line.indexOf(CARRIAGE_RETURN);
  return at < 0 || at === line.length - 1 ? line : singleLine(line);
}
