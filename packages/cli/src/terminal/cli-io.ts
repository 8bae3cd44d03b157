/** A stream to write text to. */
export interface TextOutput {
  write(text: string): unknown;
}

/** A text output that may be a terminal, whose width is then known. */
export interface TerminalOutput extends TextOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The parts of its environment that a command may use; tests pass in their own. */
export interface CliIo {
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}
