import { closeSync, openSync, readSync } from "node:fs";
import type { Readable } from "node:stream";
import { withoutByteOrderMark } from "@touchstone/core/advanced";
import { inputName, readWhole } from "./input-pieces.ts";
import { readError } from "./read-error.ts";

const PIECE = 1024 * 1024;

/**
 * Reads a whole file or named pipe, without the byte order mark that Windows editors and shells add.
 * @param most largest size in bytes; reading stops after it
 * @throws CliExit 3 if it cannot be read, or is larger
 */
export function readFile(name: string, most: number): Buffer {
  try {
    return withoutByteOrderMark(readAll(name, most));
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
      if (length > most) throw tooLarge(most);
      pieces.push(piece.subarray(0, read));
    }
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads a whole file, or standard input if the name is `-`, without a byte order mark.
 * @param most largest size in bytes; reading stops after it
 * @throws CliExit 3 if it cannot be read, or is larger
 */
export async function readInput(name: string, most: number, stdin: Readable): Promise<Buffer> {
  if (name !== "-") return readFile(name, most);
  const bytes = await readWhole(name, most, stdin);
  if (bytes.length > most) throw readError(inputName(name), tooLarge(most));
  return withoutByteOrderMark(bytes);
}

function tooLarge(most: number): Error {
  return new Error(`it has more than ${most} bytes, which is the limit`);
}

/**
 * Reads a whole file, or standard input if the name is `-`, as text.
 * @throws CliExit 3 if it cannot be read, is larger, or is not UTF-8
 */
export async function readInputText(name: string, most: number, stdin: Readable): Promise<string> {
  return decodeFile(inputName(name), await readInput(name, most, stdin));
}

/**
 * Reads a whole file as text.
 * @throws CliExit 3 if it cannot be read, is larger, or is not UTF-8
 */
export function readText(name: string, most: number): string {
  return decodeFile(name, readFile(name, most));
}

function decodeFile(name: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw readError(name, new Error("it is not UTF-8; save it as UTF-8", { cause: error }));
  }
}
