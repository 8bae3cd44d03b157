import type { CheckOptions } from "./check-options.ts";
import { type CompiledSchema, compileDeclared } from "./compile.ts";
import { messageOf, withoutThrowing } from "./document/fault.ts";
import { isObject } from "./json/value.ts";
import type { Dialect } from "./keywords/dialect.ts";
import type { RootName } from "./report/explain/sentence.ts";
import { worded } from "./report/explain/worded.ts";
import type { Issue, ValidationResult } from "./result.ts";
import { isTool } from "./tool-definition.ts";

/** The issue reported for a tool that was passed instead of its schema. */
export const TOOL_FOR_SCHEMA: Issue = {
  path: "",
  message: "Invalid schema: it is a tool of tools/list; give its inputSchema",
  rule: "schema",
  keyword: "schema",
};

/**
 * Returns undefined for a schema that every value satisfies (`true` and `{}`), unless limits are given, and the schema
 * itself otherwise. Without a schema, values have no limits of size and nesting.
 */
export function schemaOrNone(schema: unknown, limits: CheckOptions | undefined): unknown {
  if (limits !== undefined) return schema;
  const isEmpty = isObject(schema) && Object.keys(schema).length === 0;
  return schema === true || isEmpty ? undefined : schema;
}

/** A {@link ValidationResult} that also has its issues as plain texts. */
export interface ValidatorResult extends ValidationResult {
  /** A sentence for each of `errors`: `/city is required`. */
  readonly errorMessages: readonly string[];
  /** The same for `warnings`. */
  readonly warningMessages: readonly string[];
}

/** The logger for errors; what it throws is ignored. */
export interface ValidatorLogger {
  error(message: string): void;
}

/** Options of a {@link SchemaValidator}. */
export interface SchemaValidatorOptions {
  /** Called once with the text of each error. */
  readonly logger?: ValidatorLogger | undefined;
  /** The dialect of a schema without `$schema`. Default 2020-12. */
  readonly dialect?: Dialect | undefined;
  /**
   * Limits of the values: by default 5,242,880 bytes and 64 levels, and none for `true` and `{}`. Without a schema there
   * are none.
   */
  readonly limits?: CheckOptions | undefined;
}

function log(logger: ValidatorLogger | undefined, messages: readonly string[]): void {
  const write = withoutThrowing((message: string) => logger?.error(message));
  for (const message of messages) write(message);
}

/** Adds the plain texts to a result, and logs each error once. */
export function validatorResult(
  result: ValidationResult,
  logger?: ValidatorLogger,
  whole?: RootName,
): ValidatorResult {
  const inWords = (issue: Issue): Issue => worded(issue, whole);
  const { valid, suggestions, truncated } = result;
  const errors = result.errors.map(inWords);
  const warnings = result.warnings.map(inWords);
  const errorMessages = errors.map(({ message }) => message);
  log(logger, errorMessages);
  return {
    valid,
    errors,
    warnings,
    suggestions,
    ...(truncated === undefined ? {} : { truncated }),
    errorMessages,
    warningMessages: warnings.map(({ message }) => message),
  };
}

/**
 * Returns the result of checking a value in memory against one schema. The warnings include oddities in the schema,
 * such as an unknown format, with a path into the schema.
 */
export function schemaResult(
  { validate, warnings }: Pick<CompiledSchema, "validate" | "warnings">,
  value: unknown,
  logger?: ValidatorLogger,
  whole?: RootName,
  limits?: CheckOptions,
): ValidatorResult {
  const check = validate(value, limits);
  const all = warnings.length === 0 ? check.warnings : [...check.warnings, ...warnings];
  return validatorResult({ ...check, warnings: all }, logger, whole);
}

/** Returns a result with only these issues. */
export function issuesResult(
  errors: readonly Issue[],
  warnings: readonly Issue[] = [],
  logger?: ValidatorLogger,
): ValidatorResult {
  const valid = errors.length === 0;
  return validatorResult({ valid, errors, warnings, suggestions: [] }, logger);
}

/**
 * Validates values in memory against one JSON Schema. Never throws, whatever the schema and the values are: if the
 * schema cannot be used, each result has an error (rule `schema`).
 */
export class SchemaValidator {
  readonly #schema: CompiledSchema | undefined;
  readonly #fault: Issue = { path: "", message: "", rule: "schema", keyword: "schema" };
  readonly #logger: ValidatorLogger | undefined;
  readonly #limits: CheckOptions | undefined;

  /**
   * @param schema the schema of the values, not a tool that has one: an object or a boolean. `null`, `undefined`,
   *   `true` and `{}` are satisfied by every value, whatever its size and nesting unless limits are given
   */
  constructor(schema: unknown, options: SchemaValidatorOptions = {}) {
    try {
      this.#logger = options.logger;
      const { dialect } = options;
      this.#limits = options.limits;
      if (isTool(schema)) this.#fault = TOOL_FOR_SCHEMA;
      else
        this.#schema = compileDeclared(
          { value: schemaOrNone(schema, this.#limits) },
          dialect === undefined ? {} : { dialect },
        );
    } catch (thrown) {
      this.#fault = { ...this.#fault, message: `Invalid schema: ${messageOf(thrown)}` };
    }
  }

  /** Returns all violations, in the engine's order and words, and oddities in the schema as warnings. */
  validate(data: unknown): ValidatorResult {
    if (this.#schema === undefined) return issuesResult([this.#fault], [], this.#logger);
    return schemaResult(this.#schema, data, this.#logger, undefined, this.#limits);
  }
}
