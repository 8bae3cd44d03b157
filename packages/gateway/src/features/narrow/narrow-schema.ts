/** The schema of `narrow`, with values for its variables. */
export interface NarrowSchema {
  readonly schema: Readonly<Record<string, unknown>>;
  /** The schema as the file has it, with names of variables. Shown configurations use it. */
  readonly written: Readonly<Record<string, unknown>>;
  /** Values from variables whose names suggest a secret. No text shows them. */
  readonly secrets: readonly string[];
}
