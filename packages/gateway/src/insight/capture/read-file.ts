import { createReadStream } from "node:fs";
import { withoutByteOrderMark } from "@touchstone/core/advanced";
import { concatBytes } from "@touchstone/util";
import { type CaptureLine, readCaptureLine } from "./read-line.ts";

/** Longest line to read: a frame of the largest default size, fully escaped. */
const MAX_LINE_BYTES = 512 * 1024 * 1024;

/** How many bytes to read at once. */
const PIECE_BYTES = 256 * 1024;

/** A line of a file, with its number from 1. */
export interface NumberedLine {
  readonly number: number;
  /** Where it begins in the file, in bytes. */
  readonly offset: number;
  /** Its size in bytes, without its line feed. */
  readonly size: number;
  readonly line: CaptureLine | { readonly fault: string };
}

/**
 * Reads a capture line by line, without holding it in memory. Skips blank lines, and a byte order mark at the start.
 * @throws Error if the file cannot be read
 */
export async function* readCaptureFile(
  file: string,
  maxLineBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<NumberedLine> {
  let number = 0;
  let next = 0;
  for await (const lines of linesOf(file, maxLineBytes)) {
    for (const { bytes: whole, size } of lines) {
      const offset = next;
      next += size + 1;
      number += 1;
      const bytes = number === 1 && whole !== undefined ? withoutByteOrderMark(whole) : whole;
      if (bytes === undefined) {
        yield { number, offset, size, line: { fault: `longer than ${maxLineBytes} bytes` } };
      } else if (bytes.some((byte) => byte > SPACE)) {
        yield { number, offset, size, line: readCaptureLine(bytes) };
      }
    }
  }
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;

interface RawLine {
  /** Undefined if it is too long to keep. */
  readonly bytes: Uint8Array | undefined;
  readonly size: number;
}

/** Yields the lines of a file, all lines of a piece together: each wait costs as much as a short line. */
async function* linesOf(file: string, max: number): AsyncGenerator<readonly RawLine[]> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const keep = (part: Uint8Array): void => {
    size += part.length;
    if (size > max) parts = [];
    else parts.push(part);
  };
  const take = (): RawLine => {
    const line = { bytes: size > max ? undefined : concatBytes(parts), size };
    parts = [];
    size = 0;
    return line;
  };
  for await (const chunk of createReadStream(file, {
    highWaterMark: PIECE_BYTES,
  }) as AsyncIterable<Buffer>) {
    const lines: RawLine[] = [];
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
      keep(chunk.subarray(start, feed));
      lines.push(take());
      start = feed + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
    yield lines;
  }
  if (size > 0) yield [take()];
}
