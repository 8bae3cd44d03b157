import type { Readable, Writable } from "node:stream";
import { OutlineReader, singleLine } from "@touchstone/protocol/advanced";
import { BytePieces } from "@touchstone/util";

/** One line of a newline-delimited stream, or the ends of one that was too long to keep. */
export type Line =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  | ({ readonly kind: "oversize" } & ByteEnds);

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** How much of each end of an oversize line to keep: enough to find the envelope's id. */
export const END_BYTES = 65_536;

export interface LineOptions {
  /** How much of the beginning and the end of an oversize line to keep, in bytes. */
  readonly endBytes?: number;
  /** Whether to read an oversize line completely for its outline. */
  readonly outlined?: boolean;
}

function isBlank(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte !== 0x20 && byte !== 0x09 && byte !== CARRIAGE_RETURN) return false;
  }
  return true;
}

/**
 * Splits a byte stream at line feeds (MCP stdio transport: newlines delimit messages, which contain none), without
 * decoding. Skips blank lines. A line longer than `maxBytes` is skipped to its end and reported as `oversize`, so
 * memory stays bounded whatever the peer sends.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #options: LineOptions;
  readonly #pieces: BytePieces = new BytePieces();
  #oversize: ByteEndsBuffer | undefined;
  /** Whether the line has nothing but white space so far. */
  #blank = true;

  constructor(maxBytes: number, options: LineOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#options = options;
  }

  /** Takes the next piece of the stream and returns the lines that it completes. */
  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (;;) {
      const feed = chunk.indexOf(LINE_FEED, start);
      if (feed < 0) break;
      this.#keep(chunk.subarray(start, feed));
      const line = this.#take();
      if (line) lines.push(line);
      start = feed + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  /**
   * Returns the bytes after the last line feed, at the end of the stream. The stream may have been cut off, so an
   * oversize line has no tail here.
   */
  flush(): Line | undefined {
    const line = this.#take();
    return line?.kind === "oversize" ? { ...line, tail: new Uint8Array(0) } : line;
  }

  #keep(part: Uint8Array): void {
    this.#blank &&= isBlank(part);
    if (this.#oversize) {
      this.#oversize.push(part);
      return;
    }
    this.#pieces.push(part);
    if (this.#pieces.size <= this.#maxBytes) return;
    const { endBytes = END_BYTES, outlined } = this.#options;
    this.#oversize = new ByteEndsBuffer(endBytes, outlined);
    for (const kept of this.#pieces.parts) this.#oversize.push(kept);
    this.#pieces.clear();
  }

  #take(): Line | undefined {
    const bytes = this.#pieces.take();
    const oversize = this.#oversize;
    const blank = this.#blank;
    this.#oversize = undefined;
    this.#blank = true;
    if (oversize) return { kind: "oversize", ...oversize.take() };
    return blank ? undefined : { kind: "line", bytes };
  }
}

/** Both ends of a sequence of bytes that was too long to keep. */
export interface ByteEnds {
  /** The first bytes. */
  readonly head: Uint8Array;
  /** The last bytes; they overlap the head if both are longer than half of the whole. */
  readonly tail: Uint8Array;
  /** The size of the whole in bytes. */
  readonly size: number;
  /** The result of an {@link OutlineReader} on the whole, if there was one. */
  readonly outline?: Uint8Array | undefined;
}

/**
 * Keeps copies of the first and last bytes of a sequence that arrives in pieces, so that the pieces themselves can be
 * freed.
 */
export class ByteEndsBuffer {
  readonly #head: Uint8Array;
  /** A ring buffer: the byte at offset n of the sequence is at n modulo its length. */
  readonly #ring: Uint8Array;
  readonly #outline: OutlineReader | undefined;
  #size = 0;

  /**
   * @param length how many bytes of each end to keep, at least 1
   * @param outlined whether to make an outline of the whole too, which takes about 10 ns a byte
   */
  constructor(length: number, outlined = false) {
    this.#outline = outlined ? new OutlineReader() : undefined;
    this.#head = new Uint8Array(length);
    this.#ring = new Uint8Array(length);
  }

  push(part: Uint8Array): void {
    this.#outline?.push(part);
    const { length } = this.#ring;
    if (this.#size < length) this.#head.set(part.subarray(0, length - this.#size), this.#size);
    const last = part.subarray(Math.max(0, part.length - length));
    const at = (this.#size + part.length - last.length) % length;
    const before = last.subarray(0, length - at);
    this.#ring.set(before, at);
    this.#ring.set(last.subarray(before.length), 0);
    this.#size += part.length;
  }

  /** Returns the ends so far, in new arrays. */
  take(): ByteEnds {
    const { length } = this.#ring;
    const size = this.#size;
    const head = new Uint8Array(this.#head.subarray(0, size));
    const outlined = this.#outline && { outline: this.#outline.take() };
    if (size <= length) return { head, tail: head, size, ...outlined };
    const tail = new Uint8Array(length);
    const seam = size % length;
    tail.set(this.#ring.subarray(seam), 0);
    tail.set(this.#ring.subarray(0, seam), length - seam);
    return { head, tail, size, ...outlined };
  }
}

/** Passes on the lines of a stream; its end is reported by the peer. */
export function readLines(stream: Readable, maxBytes: number, take: (line: Line) => void): void {
  const splitter = new LineSplitter(maxBytes);
  stream.on("data", (chunk: Buffer) => {
    for (const line of splitter.push(chunk)) take(line);
  });
  stream.on("end", () => {
    const rest = splitter.flush();
    if (rest) take(rest);
  });
  stream.on("error", () => {});
}

const FEED: Uint8Array = new Uint8Array([LINE_FEED]);
/** Lines up to this size are copied into one write; larger ones are written as they are. */
const SMALL_BYTES = 16_384;
/** From this size on, lines are written at once, even if more may follow in the same turn of the event loop. */
const ENOUGH_BYTES = 65_536;
/** What {@link LineWriter.write} returns if the caller need not wait. */
const THERE_IS_ROOM: Promise<void> = Promise.resolve();

/**
 * Writes lines to a stream. The lines of one turn of the event loop go out together, after the synchronous work of
 * that turn: a write to a pipe costs more than the work for a small line.
 */
export class LineWriter {
  readonly #stream: Writable;
  #gone = false;
  /** Releases the callers that wait for room. */
  #release: () => void = () => {};
  #parts: Uint8Array[] = [];
  #size = 0;
  #due = false;
  #room: Promise<void> | undefined;

  /** @param gone resolves when nobody reads anymore; callers that wait for room are then released */
  constructor(stream: Writable, gone: Promise<unknown>) {
    this.#stream = stream;
    // Created once, because each `then` stays with the promise, and a slow reader causes many waits.
    void gone.then(() => {
      this.#gone = true;
      this.#release();
    });
  }

  /**
   * Writes a line and its line feed, or drops it if the stream has ended. A CR or LF inside it becomes a space.
   * Resolves when there is room for more.
   */
  write(line: Uint8Array): Promise<void> {
    if (this.#isOver()) return THERE_IS_ROOM;
    this.#parts.push(onOneLine(line), FEED);
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

  /** Writes the collected lines to the stream. */
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
 * Many readers end lines at a CR as well (`readline`, Python's text mode). To such a reader, the text between two of
 * them would be a message that was never checked.
 */
function onOneLine(line: Uint8Array): Uint8Array {
  const at = line.indexOf(CARRIAGE_RETURN);
  const isWhole = at < 0 || at === line.length - 1;
  return isWhole && !line.includes(LINE_FEED) ? line : singleLine(line);
}
