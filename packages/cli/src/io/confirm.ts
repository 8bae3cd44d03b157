import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { TerminalOutput } from "../terminal/cli-io.ts";

/** What a question needs: a terminal to read from and to write to. */
export interface AskIo {
  readonly stdin?: Readable | undefined;
  readonly stderr: TerminalOutput;
}

/** Returns whether there is a terminal to ask on. */
export function canAsk({ stdin, stderr }: AskIo): boolean {
  return (
    (stdin as { readonly isTTY?: boolean } | undefined)?.isTTY === true && stderr.isTTY === true
  );
}

/** Asks a question on the terminal. Returns whether the response is yes; false if there is no terminal. */
export async function askToConfirm(io: AskIo, question: string): Promise<boolean> {
  if (!canAsk(io) || io.stdin === undefined) return false;
  io.stderr.write(question);
  const lines = createInterface({ input: io.stdin });
  try {
    for await (const text of lines) return /^y(es)?$/i.test(text.trim());
    return false;
  } finally {
    lines.close();
  }
}
