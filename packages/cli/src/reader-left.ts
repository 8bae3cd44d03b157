import type { TextOutput } from "./io.ts";

/** Returns whether it is a stream, which tells when nothing can be written to it any more. */
export function isEmitter(stdout: TextOutput): stdout is TextOutput & NodeJS.WriteStream {
  return "once" in stdout && typeof stdout.once === "function";
}

/**
 * Watches an output that is written to again and again.
 * @returns what tells whether nobody reads it any more, as behind a `head` that has left
 */
export function readerLeft(stdout: TextOutput): () => boolean {
  let hasLeft = false;
  const leave = (): void => {
    hasLeft = true;
  };
  if (isEmitter(stdout)) stdout.once("error", leave).once("close", leave);
  return () => hasLeft;
}
