import type { Readable } from "node:stream";
import { parseJson } from "@touchstone/core/advanced";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { readFile, readInput } from "../io/read-file.ts";

/** Largest arguments to read from a file or standard input, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The JSON text of a call's arguments, in UTF-8 if it was read from a file. */
export interface CallArguments {
  readonly text: string | Uint8Array;
}

/**
 * Reads a call's arguments: JSON on the command line, `@FILE`, or `-` for standard input; default: `{}`.
 * @throws CliExit if there is no such file, it is too large, or it is not JSON
 */
export async function readArguments(
  word: string | undefined,
  stdin: Readable,
): Promise<CallArguments> {
  const text = await readWord(word ?? "{}", stdin);
  const parsed = parseJson(text);
  if (parsed.ok) return { text };
  const where =
    word === "-" ? "standard input" : word?.startsWith("@") ? word.slice(1) : "the arguments";
  throw new CliExit(EXIT_USAGE, `${where}: not JSON: ${parsed.message}`);
}

async function readWord(word: string, stdin: Readable): Promise<string | Uint8Array> {
  if (word === "-") return readInput(word, MAX_BYTES, stdin);
  // The same syntax as curl's.
  if (word === "@-") throw new CliExit(EXIT_USAGE, "@- is not a file: standard input is - alone");
  return word.startsWith("@") ? readFile(word.slice(1), MAX_BYTES) : word;
}
