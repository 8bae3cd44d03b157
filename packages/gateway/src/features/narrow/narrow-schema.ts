/** `narrow` of a tool. */
export const NARROW = {
  type: "object",
  additionalProperties: true,
  description:
    "A JSON Schema that arguments must satisfy in addition to the tool's own, with the keywords within and hosts",
} as const;

/** The schema of `narrow`, with values for its variables. */
export interface NarrowSchema {
  readonly schema: Readonly<Record<string, unknown>>;
  /** The schema as the file has it, with names of variables. Shown configurations use it. */
  readonly written: Readonly<Record<string, unknown>>;
  /** Values from variables whose names suggest a secret. No text shows them. */
  readonly secrets: readonly string[];
}
