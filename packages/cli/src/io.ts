/** A stream that text is written to. */
export interface TextOutput {
  write(text: string): unknown;
}

/** Where it is a terminal, it tells so and how wide it is. */
export interface TerminalOutput extends TextOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything that a command may touch outside itself; tests hand in their own. */
export interface CliIo {
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}
