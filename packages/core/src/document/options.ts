import type { OwnDialect } from "../keywords/dialect.ts";
import { SCHEMA_LIMITS, type SchemaLimits } from "./fault.ts";
import type { SchemaDocuments } from "./library.ts";

/** How to read a schema, which documents it may refer to, and its limits. */
export interface CompileOptions {
  /**
   * The dialect of a schema without `$schema`. Default 2020-12. `policy` is 2020-12 with the keywords `within` and `hosts`,
   * whatever `$schema` is; there, an unknown keyword is a fault.
   */
  readonly dialect?: OwnDialect;
  /** Whether to assert `format`. Default true. */
  readonly formats?: boolean;
  /**
   * Whether to check the schema with its dialect's metaschema first. Default true. Set it to false only for a schema
   * that is part of your program and covered by a test: it saves most of the compile time.
   */
  readonly metaschema?: boolean;
  /**
   * The words of each issue's `message`: sentences that name the place (`/city is required`), or the engine's own, which
   * are those of Ajv (`must have required property 'city'`). Sentences keep the engine's words in `nativeMessage`.
   * Default `plain`; `native` for functions of `@touchstone/core/advanced`, whose callers have words of their own.
   */
  readonly messages?: "plain" | "native";
  /** Limits on the schema itself. Default {@link SCHEMA_LIMITS}. */
  readonly limits?: Partial<SchemaLimits>;
  /** Further documents that references may lead to, by URI. Nothing is ever fetched. */
  readonly documents?: SchemaDocuments;
}

function isLimit(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}

/** Returns the limits for a compilation; a limit that is not a positive integer gets the default. */
export function schemaLimits(options: CompileOptions | undefined): SchemaLimits {
  const { maxBytes, maxDepth, maxSubschemas } = options?.limits ?? {};
  return {
    maxBytes: isLimit(maxBytes) ? maxBytes : SCHEMA_LIMITS.maxBytes,
    maxDepth: isLimit(maxDepth) ? maxDepth : SCHEMA_LIMITS.maxDepth,
    maxSubschemas: isLimit(maxSubschemas) ? maxSubschemas : SCHEMA_LIMITS.maxSubschemas,
  };
}
