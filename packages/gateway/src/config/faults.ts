/**
 * What can be wrong with a configuration, by code.
 *
 * - `FILE_NOT_FOUND`: there is no such file
 * - `FILE_UNREADABLE`: it is not a regular file, or cannot be read
 * - `FILE_TOO_LARGE`: it has more than 1 MiB
 * - `FILE_ENCODING`: it is not UTF-8
 * - `SYNTAX`: it is not JSON, also where comments and trailing commas are allowed
 * - `TOO_DEEP`: it is nested deeper than 100 levels
 * - `TOO_MANY_VALUES`: it has more than 50,000 values that would have to be judged
 * - `DUPLICATE_KEY`: one object has a key twice
 * - `UNKNOWN_KEY`: a key that nothing reads
 * - `MISPLACED_KEY`: a key of ours where nothing reads it
 * - `WRONG_TYPE`: a value of another JSON type than the key takes
 * - `INVALID_VALUE`: a value of the right type that the key does not take
 * - `MISSING_KEY`: a key that must be there is not
 * - `CONFLICTING_KEYS`: two keys that exclude each other
 * - `INVALID_NAME`: a server's name that no URL can carry
 * - `UNSET_VARIABLE`: `${NAME}` names a variable that the environment lacks
 * - `INVALID_VARIABLE`: `${…}` that is not a reference to a variable
 * - `UNSUPPORTED_TRANSPORT`: the HTTP+SSE transport of MCP 2024-11-05
 * - `API_KEY_REQUIRED`: listening beyond loopback without a key
 */
export type ConfigFaultCode =
  | "FILE_NOT_FOUND"
  | "FILE_UNREADABLE"
  | "FILE_TOO_LARGE"
  | "FILE_ENCODING"
  | "SYNTAX"
  | "TOO_DEEP"
  | "TOO_MANY_VALUES"
  | "DUPLICATE_KEY"
  | "UNKNOWN_KEY"
  | "MISPLACED_KEY"
  | "WRONG_TYPE"
  | "INVALID_VALUE"
  | "MISSING_KEY"
  | "CONFLICTING_KEYS"
  | "INVALID_NAME"
  | "UNSET_VARIABLE"
  | "INVALID_VARIABLE"
  | "UNSUPPORTED_TRANSPORT"
  | "API_KEY_REQUIRED";

/** One thing wrong with a configuration. */
export interface ConfigFault {
  readonly code: ConfigFaultCode;
  /** The file as the caller named it, or `command line`. */
  readonly file: string;
  /** 1-based; absent where the fault is not at a place in the text. */
  readonly line?: number;
  /** 1-based, in UTF-16 code units as editors count; absent where `line` is. */
  readonly column?: number;
  /** RFC 6901 pointer to the key or value; of an option, its name (`--listen`). */
  readonly path: string;
  /** What is wrong, what would be right. Never holds values that may be secret. */
  readonly message: string;
}

/** A configuration that was refused. Its message lists the faults, one a line. */
export class ConfigError extends Error {
  override readonly name: string = "ConfigError";
  /** In the order of the text. At most 100; `omitted` counts the rest. */
  readonly faults: readonly ConfigFault[];
  readonly omitted: number;
  /** That of the first fault. */
  readonly code: ConfigFault["code"] | undefined;

  constructor(faults: readonly ConfigFault[], omitted = 0, options?: ErrorOptions) {
    const more = omitted > 0 ? [`and ${omitted} more`] : [];
    super([...faults.map(formatFault), ...more].join("\n"), options);
    this.faults = faults;
    this.omitted = omitted;
    this.code = faults[0]?.code;
  }
}

/** `FILE:LINE:COLUMN: PATH: MESSAGE`, without the parts that the fault does not have. */
export function formatFault({ file, line, column, path, message }: ConfigFault): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  const shown = path.length > 200 ? `${path.slice(0, 199)}…` : path;
  return path === "" ? `${place}: ${message}` : `${place}: ${printable(shown)}: ${message}`;
}

/** Quotes a name for a message: escaped, so that it cannot steer a terminal, and cut at 64. */
export function quote(name: string): string {
  return printable(JSON.stringify(name.length > 64 ? `${name.slice(0, 63)}…` : name));
}

function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
