import type { TextOutput } from "../terminal/cli-io.ts";

/** Returns whether an output is a stream, which reports when it can no longer be written to. */
export function isEmitter(stdout: TextOutput): stdout is TextOutput & NodeJS.WriteStream {
  return "once" in stdout && typeof stdout.once === "function";
}

/**
 * Watches an output that is written to repeatedly.
 * @returns a function that returns whether the output is no longer read, for example because `head` has exited
 */
export function watchReader(stdout: TextOutput): () => boolean {
  let hasLeft = false;
  const leave = (): void => {
    hasLeft = true;
  };
  if (isEmitter(stdout)) stdout.once("error", leave).once("close", leave);
  return () => hasLeft;
}
