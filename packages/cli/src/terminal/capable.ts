import type { CliIo, TerminalOutput } from "../io.ts";

/** Returns whether an output is a terminal that acts on escape sequences; one of `TERM=dumb` shows them. */
export function actsOnEscapes(output: TerminalOutput, env: CliIo["env"]): boolean {
  return output.isTTY === true && env["TERM"] !== "dumb";
}

/** Returns how wide an output is if it is a terminal that tells, in columns. Some report 0. */
export function terminalWidth({ isTTY, columns }: TerminalOutput): number | undefined {
  return (isTTY === true && columns) || undefined;
}

/** Returns whether to colour: on a terminal that can, unless NO_COLOR is set (https://no-color.org). */
export function wantsColour({ stdout, env }: Pick<CliIo, "stdout" | "env">): boolean {
  return actsOnEscapes(stdout, env) && !env["NO_COLOR"];
}
