import { OutlineReader } from "@touchstone/protocol";
import { Pieces } from "../../util/pieces.ts";

/** One line of a newline-delimited stream, or the ends of one that was too long to keep. */
export type Line =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  | ({ readonly kind: "oversize" } & Ends);

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** How much of each end of an oversize line is kept: enough to find the envelope's id. */
export const END_BYTES = 65_536;

export interface LineOptions {
  /** How much of the beginning and of the end of an oversize line is kept, in bytes. */
  readonly endBytes?: number;
  /** Whether an oversize line is read through for its outline. */
  readonly outlined?: boolean;
}

function isBlank(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte !== 0x20 && byte !== 0x09 && byte !== CARRIAGE_RETURN) return false;
  }
  return true;
}

/**
 * Splits a byte stream at line feeds (MCP stdio transport: messages are delimited by newlines and
 * hold none), without decoding. Blank lines are left out. A line longer than `maxBytes` is read over to its
 * end and reported as `oversize`, so that memory stays bounded whatever the peer sends.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #options: LineOptions;
  readonly #pieces: Pieces = new Pieces();
  #oversize: EndsKeeper | undefined;

  constructor(maxBytes: number, options: LineOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#options = options;
  }

  /** Takes the next piece of the stream and gives the lines that it completes. */
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
   * Gives what stands after the last line feed, at the end of the stream. It may have broken off, so
   * that an oversize line has no tail here.
   */
  flush(): Line | undefined {
    const line = this.#take();
    return line?.kind === "oversize" ? { ...line, tail: new Uint8Array(0) } : line;
  }

  #keep(part: Uint8Array): void {
    if (this.#oversize) {
      this.#oversize.push(part);
      return;
    }
    this.#pieces.push(part);
    if (this.#pieces.size <= this.#maxBytes) return;
    const { endBytes = END_BYTES, outlined } = this.#options;
    this.#oversize = new EndsKeeper(endBytes, outlined);
    for (const kept of this.#pieces.parts) this.#oversize.push(kept);
    this.#pieces.clear();
  }

  #take(): Line | undefined {
    const bytes = this.#pieces.take();
    const oversize = this.#oversize;
    this.#oversize = undefined;
    if (oversize) return { kind: "oversize", ...oversize.take() };
    return isBlank(bytes) ? undefined : { kind: "line", bytes };
  }
}

/** Both ends of a run of bytes that was too long to keep. */
export interface Ends {
  /** The first bytes. */
  readonly head: Uint8Array;
  /** The last bytes; they overlap the head where both are longer than half of the whole. */
  readonly tail: Uint8Array;
  /** The size of the whole in bytes. */
  readonly size: number;
  /** What an {@link OutlineReader} made of the whole, where one was to read it. */
  readonly outline?: Uint8Array | undefined;
}

/**
 * Keeps copies of the first and of the last bytes of a run that comes in pieces, so that the pieces
 * themselves can go.
 */
export class EndsKeeper {
  readonly #head: Uint8Array;
  /** A ring: the byte at offset n of the run stands at n modulo its length. */
  readonly #ring: Uint8Array;
  readonly #outline: OutlineReader | undefined;
  #size = 0;

  /**
   * @param length how many bytes of each end are kept, at least 1
   * @param outlined whether an outline of the whole is made as well, which takes some 10 ns a byte
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

  /** The ends so far, in arrays of their own. */
  take(): Ends {
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
