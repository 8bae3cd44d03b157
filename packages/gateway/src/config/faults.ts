import { escapeUnsafe } from "@touchstone/core/advanced";
import { TouchstoneError } from "@touchstone/util";

/** What can be wrong with a configuration, by code. */
export const CONFIG_ERRORS = {
  FILE_NOT_FOUND: [400, "The file does not exist"],
  FILE_UNREADABLE: [400, "The file is not a regular file, or cannot be read"],
  FILE_TOO_LARGE: [400, "The file is larger than 1 MiB"],
  FILE_ENCODING: [400, "The file is not UTF-8"],
  SYNTAX: [400, "The file is not JSON (comments and trailing commas are allowed)"],
  TOO_DEEP: [400, "The file is nested deeper than 100 levels"],
  TOO_MANY_VALUES: [400, "The file has more than 50,000 values"],
  DUPLICATE_KEY: [400, "One object has a duplicate key"],
  UNKNOWN_KEY: [400, "An unknown key"],
  MISPLACED_KEY: [400, "A key of Touchstone in a place where it has no effect"],
  WRONG_TYPE: [400, "A value of the wrong JSON type"],
  INVALID_VALUE: [400, "A value of the right type that the key does not allow"],
  MISSING_KEY: [400, "A required key is missing"],
  CONFLICTING_KEYS: [400, "Two keys that exclude each other"],
  INVALID_NAME: [400, "A server's name that cannot be part of a URL"],
  UNSET_VARIABLE: [400, "A reference names a variable that is not set"],
  UNREADABLE_VARIABLE: [400, "A reference names a file that is missing or cannot be used"],
  INVALID_VARIABLE: [400, "Text in a dollar sign and braces that is not a reference to a variable"],
  UNSUPPORTED_TRANSPORT: [400, "The HTTP+SSE transport of MCP 2024-11-05"],
  API_KEY_REQUIRED: [400, "Listening beyond loopback without a key"],
  KEY_TOO_SHORT: [400, "Listening beyond loopback with a key that can be guessed"],
} as const;

export type ConfigFaultCode = keyof typeof CONFIG_ERRORS;

/** One thing wrong with a configuration. */
export interface ConfigFault {
  readonly code: ConfigFaultCode;
  /** The file as the caller named it, or `command line`. */
  readonly file: string;
  /** 1-based; absent if the fault is not at a place in the text. */
  readonly line?: number;
  /** 1-based, in UTF-16 code units as editors count; absent if `line` is. */
  readonly column?: number;
  /** RFC 6901 pointer to the key or value; for an option, its name (`--listen`). */
  readonly path: string;
  /** What is wrong, and what would be right. Never contains values that may be secret. */
  readonly message: string;
}

/** A refused configuration. Its message lists the faults, one per line. */
export class ConfigError extends TouchstoneError<ConfigFaultCode> {
  /** In the order of the text. At most 100; `omitted` counts the rest. */
  readonly faults: readonly ConfigFault[];
  readonly omitted: number;
  /** The files that the text names by `${file:PATH}`; undefined if they are unknown. */
  readonly secretFiles: readonly string[] | undefined;

  /** @param faults at least one; the first one's code is the error's code */
  constructor(
    faults: readonly ConfigFault[],
    omitted = 0,
    options?: ErrorOptions & { readonly secretFiles?: readonly string[] | undefined },
  ) {
    const more = omitted > 0 ? [`and ${omitted} more`] : [];
    const text = [...faults.map(formatFault), ...more].join("\n");
    super("ConfigError", CONFIG_ERRORS, faults[0]?.code ?? "INVALID_VALUE", text, options);
    this.faults = faults;
    this.omitted = omitted;
    this.secretFiles = options?.secretFiles;
  }
}

/** `FILE:LINE:COLUMN: PATH: MESSAGE`, without parts that the fault does not have. */
export function formatFault({ file, line, column, path, message }: ConfigFault): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  const shown = path.length > 200 ? `${path.slice(0, 199)}…` : path;
  return path === "" ? `${place}: ${message}` : `${place}: ${escapeUnsafe(shown)}: ${message}`;
}

/** Quotes a name for a message: escaped, so that it cannot control a terminal, and cut at 64. */
export function quote(name: string): string {
  return escapeUnsafe(JSON.stringify(name.length > 64 ? `${name.slice(0, 63)}…` : name));
}
