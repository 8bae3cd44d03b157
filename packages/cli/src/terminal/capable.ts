import type { CliIo, TerminalOutput } from "./cli-io.ts";

/** Returns whether an output is a terminal that interprets escape sequences; with `TERM=dumb` it prints them. */
export function interpretsEscapes(output: TerminalOutput, env: CliIo["env"]): boolean {
  return output.isTTY === true && env["TERM"] !== "dumb";
}

/** Returns the width of an output in columns if it is a terminal with a known width. Some terminals report 0. */
export function terminalWidth({ isTTY, columns }: TerminalOutput): number | undefined {
  return (isTTY === true && columns) || undefined;
}

/**
 * Returns whether to use colors: on a terminal that supports them, unless NO_COLOR is set (https://no-color.org).
 */
export function wantsColour({ stdout, env }: Pick<CliIo, "stdout" | "env">): boolean {
  return interpretsEscapes(stdout, env) && !env["NO_COLOR"];
}
