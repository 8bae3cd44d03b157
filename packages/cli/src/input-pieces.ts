import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { CliExit, EXIT_USAGE } from "./exit.ts";
import { readError } from "./read-error.ts";

/** Returns what messages and reports call a file that was named on the command line. */
export function nameOfInput(name: string): string {
  return name === "-" ? "<stdin>" : name;
}

/**
 * Only the first to read standard input would get anything.
 * @throws CliExit 2 where more than one of the files is named `-`
 */
export function refuseInputTwice(files: readonly string[]): void {
  if (files.filter((name) => name === "-").length > 1) {
    throw new CliExit(EXIT_USAGE, '"-", the standard input, can be given only once');
  }
}

/**
 * The bytes of a file, or of standard input where it is named `-`, as they come.
 * @throws CliExit 3 if it cannot be read
 */
export async function* piecesOf(name: string, stdin: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of name === "-" ? stdin : createReadStream(name)) {
      yield chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    }
  } catch (error) {
    throw readError(nameOfInput(name), error);
  }
}

/**
 * Collects a text of at most `most` bytes, and one more if there are more: what is beyond that is
 * never held.
 */
export class Collector {
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

  take(): Buffer {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return bytes;
  }
}

/**
 * Reads a file as one text.
 * @param name a file, or `-` for `stdin`
 * @param most bytes that are needed; of a longer one, one more is read and no further
 * @throws CliExit 3 if it cannot be read
 */
export async function readWhole(name: string, most: number, stdin: Readable): Promise<Buffer> {
  const text = new Collector(most);
  for await (const piece of piecesOf(name, stdin)) {
    text.add(piece);
    if (text.isFull) break;
  }
  return text.take();
}
