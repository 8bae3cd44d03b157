import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { readError } from "../read-error.ts";

/** One JSON text and where it is from. */
export interface Text {
  /** The text, or as much of it as there is up to one byte more than the limit. */
  readonly bytes: Uint8Array;
  /** Its line in the file, where each line is a text. */
  readonly line?: number;
}

async function* chunksOf(name: string, stdin: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of name === "-" ? stdin : createReadStream(name)) {
      yield chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    }
  } catch (error) {
    throw readError(name, error);
  }
}

/**
 * Collects a text of at most `most` bytes, and one more where there are more: what is beyond that is
 * never held.
 */
class Collector {
  readonly #most: number;
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(most: number) {
    this.#most = most + 1;
  }

  get isFull(): boolean {
    return this.#length >= this.#most;
  }

  add(piece: Uint8Array): void {
    const kept = piece.subarray(0, this.#most - this.#length);
    if (kept.length === 0) return;
    this.#pieces.push(kept);
    this.#length += kept.length;
  }

  take(): Uint8Array {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return bytes;
  }
}

/**
 * Reads a file as one text.
 * @param name a file, or `-` for `stdin`
 * @param most bytes that are wanted; of a longer one, one more is read and no further
 * @throws CliExit 3 where it cannot be read
 */
export async function readWhole(name: string, most: number, stdin: Readable): Promise<Uint8Array> {
  const text = new Collector(most);
  for await (const chunk of chunksOf(name, stdin)) {
    text.add(chunk);
    if (text.isFull) break;
  }
  return text.take();
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/**
 * Reads the lines of a file that are not blank, each a text (JSON Lines), and holds one at a time.
 * @throws CliExit 3 where it cannot be read
 */
export async function* readLines(
  name: string,
  most: number,
  stdin: Readable,
): AsyncGenerator<Text> {
  const text = new Collector(most);
  let line = 1;
  for await (const chunk of chunksOf(name, stdin)) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      text.add(chunk.subarray(start, end));
      start = end + 1;
      const bytes = text.take();
      if (!isBlank(bytes)) yield { bytes, line };
      line++;
    }
    text.add(chunk.subarray(start));
  }
  const bytes = text.take();
  if (!isBlank(bytes)) yield { bytes, line };
}
