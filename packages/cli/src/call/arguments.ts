import { readFileSync } from "node:fs";
import { parseJson } from "@touchstone/core";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../exit.ts";

/** Largest file of arguments, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The text of a call's arguments, and the value that it stands for. */
export interface GivenArguments {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Reads a call's arguments: JSON as it is typed, `@FILE`, or `-` for standard input; none are `{}`.
 * @param stdin the whole of standard input
 * @throws CliExit where there is no such file or it is no JSON
 */
export async function readArguments(
  word: string | undefined,
  stdin: () => Promise<string>,
): Promise<GivenArguments> {
  const text = await textOf(word ?? "{}", stdin);
  const parsed = parseJson(text);
  if (parsed.ok) return { text, value: parsed.value };
  const where =
    word === "-" ? "standard input" : word?.startsWith("@") ? word.slice(1) : "the arguments";
  throw new CliExit(EXIT_USAGE, `${where}: not JSON: ${parsed.message}`);
}

async function textOf(word: string, stdin: () => Promise<string>): Promise<string> {
  if (word === "-") return await stdin();
  if (!word.startsWith("@")) return word;
  const file = word.slice(1);
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    return bytes.toString("utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliExit(EXIT_FAILED, `cannot read the arguments from ${file}: ${reason}`);
  }
}
