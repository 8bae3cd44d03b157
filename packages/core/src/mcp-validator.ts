import { SchemaCache } from "./cache.ts";
import type { CheckOptions } from "./check-options.ts";
import { cutText, quotePointer } from "./json/quote.ts";
import { describeCheck } from "./report/explain/sentence.ts";
import type { Check } from "./result.ts";

/**
 * The result of a check for the MCP SDK: the value itself, or an error text. The SDK defines the type of the value;
 * `never` fits any type.
 */
export type McpValidatorResult =
  | { readonly valid: true; readonly data: never; readonly errorMessage: undefined }
  | { readonly valid: false; readonly data: undefined; readonly errorMessage: string };

/**
 * The MCP SDK's `jsonSchemaValidator` (v1 from 1.21 on, and v2). Pass it to a client or a server as
 * `jsonSchemaValidator`, or to `fromJsonSchema`.
 */
export interface McpSchemaValidator {
  /** @throws Error if the schema cannot be used; its message says why and where */
  getValidator(schema: unknown): (input: unknown) => McpValidatorResult;
}

/** The cache for compiled schemas, and the limits for values. */
export interface McpSchemaValidatorOptions {
  /** The cache for compiled schemas. Default: a new one. */
  readonly cache?: SchemaCache | undefined;
  /** Limits for values: by default 5,242,880 bytes and 64 levels. */
  readonly limits?: Pick<CheckOptions, "maxBytes" | "maxDepth"> | undefined;
}

const MAX_ISSUES = 20;
const MAX_TEXT = 4_096;

function describe({ errors, truncated = 0 }: Check): string {
  const sentences = describeCheck({ errors }, "the value", MAX_ISSUES);
  const shown = sentences.map(({ text: each }) => each).join("; ");
  const more = errors.length - sentences.reduce((sum, { issues }) => sum + issues, 0) + truncated;
  const text = more > 0 ? `${shown}; and ${more} more` : shown;
  return cutText(text, MAX_TEXT);
}

/**
 * Creates a validator provider for the MCP SDK. Compiles each schema once, by its text. Schemas do not affect each
 * other: two of them may have the same `$id`.
 */
export function mcpSchemaValidator(options: McpSchemaValidatorOptions = {}): McpSchemaValidator {
  const { cache = new SchemaCache(), limits } = options;
  return {
    getValidator(schema) {
      const compiled = cache.get({ value: schema });
      const { error: fault } = compiled;
      if (fault !== undefined) {
        throw new Error(
          `Invalid schema at ${quotePointer(fault.path, "the root")}: ${fault.message}`,
        );
      }
      return (input: unknown): McpValidatorResult => {
        const check = compiled.validate(input, limits);
        return check.valid
          ? { valid: true, data: input as never, errorMessage: undefined }
          : { valid: false, data: undefined, errorMessage: describe(check) };
      };
    },
  };
}
