import { Pieces } from "../../pieces.ts";
import { type Ends, EndsKeeper } from "../ends.ts";

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
