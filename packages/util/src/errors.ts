/**
 * For each error code, the HTTP status of a response that reports it, and its meaning. The reference of errors is
 * generated from it.
 */
export type Catalogue<Code extends string = string> = Readonly<
  Record<Code, readonly [status: number, meaning: string]>
>;

/** An error whose text is for people: it says what happened, where, and what to do next. */
export abstract class TouchstoneError<Code extends string = string> extends Error {
  readonly code: Code;
  /** The HTTP status of a response that reports it. */
  readonly status: number;

  /**
   * @param name the name of the class, passed as a text because a build may shorten the name in the code
   */
  constructor(
    name: string,
    catalogue: Catalogue<Code>,
    code: Code,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options?.cause === undefined ? undefined : options);
    this.name = name;
    this.code = code;
    [this.status] = catalogue[code];
  }

  /** The documentation: a path in `docs`, and a section of that page. */
  get docs(): string {
    return docsOf(this.name);
  }
}

/** Returns the section of the reference about an error class. */
export function docsOf(name: string): string {
  return `reference/errors.md#${name.toLowerCase()}`;
}

/**
 * Returns an error's code: ours, the system's, a database's or a library's. Empty if it has none that is a string.
 */
export function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}
