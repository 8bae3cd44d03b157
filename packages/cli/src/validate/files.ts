import type { Readable } from "node:stream";
import { Collector, piecesOf } from "../input-pieces.ts";

/** One JSON text and where it is from. */
export interface Text {
  /** The text, or as much of it as there is up to one byte more than the limit. */
  readonly bytes: Uint8Array;
  /** Its line in the file, where each line is a text. */
  readonly line?: number;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/**
 * Reads the lines of a file that are not blank, each a text (JSON Lines), and holds one at a time.
 * @throws CliExit 3 if it cannot be read
 */
export async function* readLines(
  name: string,
  most: number,
  stdin: Readable,
): AsyncGenerator<Text> {
  const text = new Collector(most);
  let line = 1;
  for await (const chunk of piecesOf(name, stdin)) {
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
