import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { CliExit, EXIT_USAGE } from "./exit.ts";
import { readError } from "./read-error.ts";

/** Returns the name that messages and reports use for a file from the command line. */
export function inputName(name: string): string {
  return name === "-" ? "<stdin>" : name;
}

/**
 * Refuses to read standard input twice, because only the first reader would get its content.
 * @throws CliExit 2 if more than one of the files is named `-`
 */
export function refuseInputTwice(files: readonly string[]): void {
  if (files.filter((name) => name === "-").length > 1) {
    throw new CliExit(EXIT_USAGE, '"-", the standard input, can be given only once');
  }
}

/**
 * Yields the bytes of a file, or of standard input if the name is `-`, as they arrive.
 * @throws CliExit 3 if it cannot be read
 */
export async function* inputChunks(name: string, stdin: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of name === "-" ? stdin : createReadStream(name)) {
      yield chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    }
  } catch (error) {
    throw readError(inputName(name), error);
  }
}

/** Collects a text of at most `most` bytes, plus one byte if there are more. Never keeps more than that in memory. */
export class TextCollector {
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
 * @param most bytes that are needed; reads one byte more from a longer file, and then stops
 * @throws CliExit 3 if it cannot be read
 */
export async function readWhole(name: string, most: number, stdin: Readable): Promise<Buffer> {
  const text = new TextCollector(most);
  for await (const piece of inputChunks(name, stdin)) {
    text.add(piece);
    if (text.isFull) break;
  }
  return text.take();
}
