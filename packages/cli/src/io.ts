/** A stream that text is written to. */
export interface TextOutput {
  write(text: string): unknown;
}

/** Everything that a command may touch outside itself; tests hand in their own. */
export interface CliIo {
  readonly stdout: TextOutput & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}
