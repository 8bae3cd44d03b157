import type { Readable } from "node:stream";
import { inputChunks, TextCollector } from "../io/input-pieces.ts";

/** One JSON text and where it comes from. */
export interface JsonText {
  /** The text, cut one byte after the limit. */
  readonly bytes: Uint8Array;
  /** Its line in the file, if each line is a separate text. */
  readonly line?: number;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/**
 * Reads the non-blank lines of a file as separate texts (JSON Lines), one at a time.
 * @throws CliExit 3 if it cannot be read
 */
export async function* readLines(
  name: string,
  most: number,
  stdin: Readable,
): AsyncGenerator<JsonText> {
  const text = new TextCollector(most);
  let line = 1;
  for await (const chunk of inputChunks(name, stdin)) {
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
