/**
 * Why a schema cannot be used.
 *
 * - `unknown_dialect`: `$schema` names an unknown dialect
 * - `invalid_json`: the text is not JSON, or the value has no JSON text
 * - `not_a_schema`: it is not an object or a boolean, it is an object that JSON cannot hold (a schema of
 *   another library, a promise), or it was not passed as a {@link SchemaInput}
 * - `metaschema`: it fails its dialect's metaschema; `details` lists each place
 * - `too_large`, `too_deep`, `too_many_subschemas`: it is over a limit of {@link SchemaLimits}, or its
 *   patterns, or its identifiers and references, are too long
 * - `unresolved_reference`: a reference points to nothing inside the schema; `isExternal` if to another document
 * - `reference_loop`: the schema always applies itself to the same value, so that no check by it ends
 * - `invalid_pattern`: a regular expression is invalid (ECMA-262), or over a limit
 * - `uncompilable`: the engine refuses it for another reason
 */
export type SchemaErrorCode =
  | "unknown_dialect"
  | "invalid_json"
  | "not_a_schema"
  | "metaschema"
  | "too_large"
  | "too_deep"
  | "too_many_subschemas"
  | "unresolved_reference"
  | "reference_loop"
  | "invalid_pattern"
  | "uncompilable";

/** What is wrong with a schema, and where. */
export interface SchemaError {
  readonly code: SchemaErrorCode;
  readonly message: string;
  /** RFC 6901 pointer into the schema; `""` is the root. */
  readonly path: string;
  /** Set on `unresolved_reference` if the reference leads to another document, which is never fetched. */
  readonly isExternal?: true;
  /** Every place where the schema fails its metaschema, at most 20. */
  readonly details?: readonly SchemaError[];
}

/** Limits on a schema, checked before it is compiled. */
export interface SchemaLimits {
  /** Size of the schema's text in bytes of UTF-8. Default 1,048,576. */
  readonly maxBytes: number;
  /** Nesting of the schema's text: a scalar is 1, `{"a":1}` is 2. Default 256. */
  readonly maxDepth: number;
  /** Number of places with a schema. Default 20,000. */
  readonly maxSubschemas: number;
}

/** The default limits of a schema: 1 MiB, 256 levels, 20,000 subschemas. */
export const SCHEMA_LIMITS: SchemaLimits = {
  maxBytes: 1_048_576,
  maxDepth: 256,
  maxSubschemas: 20_000,
};

/** Carries a fault out of the steps of a compilation; never leaves this package. */
export class SchemaFaultError extends Error {
  readonly fault: SchemaError;

  constructor(fault: SchemaError | SchemaErrorCode, message: string = "", path: string = "") {
    const whole = typeof fault === "string" ? { code: fault, message, path } : fault;
    super(whole.message);
    this.name = "SchemaFaultError";
    this.fault = whole;
  }
}

/** Returns the text of a thrown value, whatever it is; never throws. */
export function messageOf(thrown: unknown): string {
  try {
    // The message of an error may be of any type, even a symbol.
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "an error without a message";
  }
}

/** Returns the same with the stack, for a log of unexpected errors. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.stack ? thrown.stack : messageOf(thrown);
}

/**
 * Returns a function that calls a listener, if there is one, and ignores its errors and rejections: a failing log
 * must not break anything else.
 */
export function withoutThrowing<Given extends readonly unknown[]>(
  listener: ((...given: Given) => unknown) | undefined,
): (...given: Given) => void {
  return (...given) => {
    try {
      const result = listener?.(...given);
      const isLater = typeof result === "object" && result !== null && "then" in result;
      if (isLater) Promise.resolve(result).catch(() => {});
    } catch {
      // The listener's errors are ignored, as documented.
    }
  };
}
