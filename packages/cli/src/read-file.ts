import { closeSync, openSync, readSync } from "node:fs";
import { readError } from "./read-error.ts";

const PIECE = 1024 * 1024;

/**
 * Reads a whole file, or what comes through a pipe that has a name.
 * @param most bytes; of a larger one no more is read
 * @throws CliExit 3 where it cannot be read, or is larger
 */
export function readFile(name: string, most: number): Buffer {
  try {
    return readAll(name, most);
  } catch (error) {
    throw readError(name, error);
  }
}

function readAll(name: string, most: number): Buffer {
  const pieces: Buffer[] = [];
  let length = 0;
  const fd = openSync(name, "r");
  try {
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE);
      const read = readSync(fd, piece);
      if (read === 0) return Buffer.concat(pieces, length);
      length += read;
      if (length > most) throw new Error(`it has more than ${most} bytes, which is the limit`);
      pieces.push(piece.subarray(0, read));
    }
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads a whole file as text.
 * @throws CliExit 3 where it cannot be read, is larger, or is no UTF-8
 */
export function readText(name: string, most: number): string {
  const bytes = readFile(name, most);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw readError(name, new Error("it is not UTF-8; save it as UTF-8", { cause: error }));
  }
}
