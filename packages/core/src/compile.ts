import {
  checkJsonSyntax,
  checkText,
  checkTextNow,
  checkValue,
  isValidValue,
  type SchemaOrFault,
} from "./check.ts";
import type { CheckLater, LaterJob } from "./check-later.ts";
import type { CheckOptions, TextCheckOptions } from "./check-options.ts";
import { emitSchema } from "./document/emit.ts";
import { messageOf, SCHEMA_LIMITS, type SchemaError } from "./document/fault.ts";
import { type CompileOptions, schemaLimits } from "./document/options.ts";
import {
  readSource,
  type SchemaInput,
  type SchemaSource,
  schemaTooLarge,
  sourceWithFault,
} from "./document/source.ts";
import type { FromSchema } from "./from-schema.ts";
import { decodeUtf8 } from "./json/text.ts";
import type { JsonObject } from "./json/value.ts";
import type { Dialect } from "./keywords/dialect.ts";
import type { Openness } from "./keywords/openness.ts";
import type { Budget } from "./keywords/run.ts";
import { type ReadSchema, readSchema, readSchemaNow } from "./read.ts";
import { worded } from "./report/explain/worded.ts";
import { type Check, type Issue, PASS } from "./result.ts";
import { type JsonSchema, NULL_TEXT, readArgument } from "./schema-argument.ts";
import { type StandardProps, standardProps } from "./standard-schema.ts";

/**
 * A schema that can check values, or that says why it cannot.
 * @typeParam T the type of the values that it accepts
 */
export interface CompiledSchema<T = unknown> {
  /** `sha256:` and the hex digest of the schema's text; for a value, of its `JSON.stringify` text. */
  readonly hash: string;
  /** The dialect in use; absent if there is an `error`. */
  readonly dialect?: Dialect | undefined;
  /** Why the schema cannot be used. Every check within its limits then ends `uncompilable`, and no value is valid. */
  readonly error?: SchemaError | undefined;
  /**
   * The schema in a form with which `scanJson` checks a value while it scans the text around it. Absent if there is an
   * `error`, or if that form could rarely decide.
   */
  readonly image: Uint8Array | undefined;
  /** Oddities of the schema that change no verdict: unknown formats. */
  readonly warnings: readonly Issue[];
  /** What the schema says about undeclared members of the whole value; absent if there is an `error`. */
  readonly openness: Openness | undefined;
  /**
   * An equivalent 2020-12 schema: without identifiers, annotations, unknown keywords and unknown formats, with
   * references to its own `$defs` only. Numbers are doubles. Absent if there is an `error`.
   */
  readonly canonical: JsonObject | undefined;
  /** The schema as a Standard Schema and a Standard JSON Schema, version 1. */
  readonly "~standard": StandardProps<T>;
  /**
   * Checks a JSON text, given as a string or as UTF-8. Size and nesting are checked first, on the
   * bytes. Numbers are checked by their source text, so that verdicts are exact for those that a
   * double cannot hold; each such number is a warning. Never throws: an exception in the engine
   * ends as outcome `budget`, which is not valid.
   */
  validateText(input: string | Uint8Array, options?: TextCheckOptions): Check;
  /**
   * {@link validateText} for callers that must not block their event loop: a check of more than a few milliseconds is
   * abandoned and made again by `later`, for example on a thread. The result is the same. Rejects if `later` does.
   */
  validateLater(
    input: string | Uint8Array,
    later: CheckLater,
    options?: TextCheckOptions,
  ): Check | Promise<Check>;
  /**
   * Checks a value in memory, with numbers as doubles, in the value and in the schema: use `validateText` if
   * you have the text. `maxBytes` is compared with a lower bound of the length of the value's JSON text. Never throws; a value
   * with cycles exceeds every depth limit.
   *
   * Values that JSON cannot hold (`undefined`, NaN, the infinities, functions, symbols, bigints) have no type: they
   * fail every `type`, `const` and `enum`, and keywords for one type ignore them. A named member that is `undefined`
   * is absent. Other objects count as their own enumerable members, whatever their `toJSON` returns.
   */
  validate(value: unknown, options?: CheckOptions): Check;
  /**
   * Returns whether a value in memory, with numbers as doubles, satisfies the schema: the same as `valid` of {@link
   * validate}, but faster and without the reasons. A value that is checked quickly is not measured first, so limits of
   * size and nesting do not apply; the work is bounded by steps, which depend only on the size of the value. Only own
   * properties count. A value that cannot be checked within the bounds is not valid (possible beyond 5,242,880 bytes of
   * text or 1,000 levels), nor is any value if the schema has an `error`. Never throws: an error in the engine is not
   * valid either.
   * @param budget the steps that the check may take instead, which are taken from it. If they do not suffice, the value
   * is not valid and no steps are left.
   */
  readonly isValid: unknown extends T
    ? (value: unknown, budget?: Budget) => boolean
    : (value: unknown, budget?: Budget) => value is T;
}

/** Largest schema to read without waiting, in bytes, also before the engine is warm. */
const READ_AT_ONCE = 8_192;

/** The part of a job that is the same for all checks of a schema. */
type Job = Pick<LaterJob, "schema" | "compile">;

type Rest = Pick<CompiledSchema, "dialect" | "error" | "warnings">;

/** Returns whether a text is `null`, which is not a schema. */
function isNull(bytes: Uint8Array): boolean {
  return bytes.length < 64 && decodeUtf8(bytes).trim() === "null";
}

function compiled(
  source: SchemaSource,
  judge: SchemaOrFault,
  rest: Rest,
  isPlain = false,
  read?: ReadSchema,
  isAbsent = false,
  job?: Job,
): CompiledSchema {
  const validate: CompiledSchema["validate"] = (value, options) =>
    isAbsent ? PASS : checkValue(read?.inMemory() ?? judge, value, options, isPlain);
  return {
    ...rest,
    get hash() {
      return source.hash;
    },
    get image() {
      return "code" in judge ? undefined : judge.acceptor.image;
    },
    get openness() {
      return "code" in judge ? undefined : judge.engine.openness;
    },
    get canonical() {
      return "code" in judge ? undefined : canonical(judge);
    },
    validateText: (input, options) =>
      isAbsent
        ? checkJsonSyntax(input, options, isPlain)
        : checkText(judge, input, options, isPlain),
    validateLater: (input, later, options) => {
      if (isAbsent) return checkJsonSyntax(input, options, isPlain);
      if (job === undefined) return checkText(judge, input, options, isPlain);
      const now = checkTextNow(judge, input, options, isPlain);
      if (now !== undefined) return now;
      return handOn(job, input, later, options);
    },
    validate,
    isValid: (value, budget) => isAbsent || isValidValue(read?.inMemory() ?? judge, value, budget),
    "~standard": standardProps({
      validate,
      written: () => read?.document,
      canonical: () => canonical(judge),
    }),
  };
}

function canonical(judge: SchemaOrFault): Record<string, unknown> {
  if ("code" in judge) throw new TypeError("the schema cannot be used");
  const schema = emitSchema(judge.engine.graph);
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema };
}

function jobOf({ bytes }: SchemaSource, options: CompileOptions): Job {
  const { dialect, formats, metaschema, limits, messages } = options;
  const compile = {
    ...(dialect !== undefined && { dialect }),
    ...(formats !== undefined && { formats }),
    ...(metaschema !== undefined && { metaschema }),
    ...(limits !== undefined && { limits }),
    ...(messages !== undefined && { messages }),
  };
  return { schema: bytes, compile };
}

function handOn(
  job: Job,
  input: string | Uint8Array,
  later: CheckLater,
  options: TextCheckOptions | undefined,
): Promise<Check> {
  const { within: _, ...rest } = options ?? {};
  return later({ ...job, input, options: rest });
}

/**
 * {@link compileSource}, deferred until the schema is really needed. {@link CompiledSchema.validateLater} forwards
 * checks without it.
 */
export function compileWhenNeeded(source: SchemaSource, options: CompileOptions): CompiledSchema {
  const job = jobOf(source, options);
  let compiled: CompiledSchema | undefined;
  const needed = (): CompiledSchema => {
    compiled ??= compileSource(source, options);
    return compiled;
  };
  return {
    get hash() {
      return source.hash;
    },
    get dialect() {
      return needed().dialect;
    },
    get error() {
      return needed().error;
    },
    get image() {
      return compiled?.image;
    },
    get warnings() {
      return needed().warnings;
    },
    get openness() {
      return needed().openness;
    },
    get canonical() {
      return needed().canonical;
    },
    get "~standard"() {
      return needed()["~standard"];
    },
    validateText: (...given) => needed().validateText(...given),
    validateLater: (input, later, given) =>
      compiled === undefined
        ? handOn(job, input, later, given)
        : compiled.validateLater(input, later, given),
    validate: (...given) => needed().validate(...given),
    isValid: (...given) => needed().isValid(...given),
  };
}

/** {@link compileSource} if that takes a few milliseconds at most, else {@link compileWhenNeeded}. */
export function compileSourceNow(source: SchemaSource, options: CompileOptions): CompiledSchema {
  const read = readSchemaNow(source, options);
  return read === undefined
    ? compileWhenNeeded(source, options)
    : compiledOf(read, source, options);
}

/**
 * {@link compileDeclared} for a caller that must not block: returns undefined if that takes more than a few
 * milliseconds.
 * @param text the JSON text of the schema, in UTF-8
 */
export function compileAtOnce(text: Uint8Array): CompiledSchema | undefined {
  if (text.length > READ_AT_ONCE) return undefined;
  const source = readSource({ text }, schemaLimits(undefined));
  const read = readSchemaNow(source, {});
  return read && compiledOf(read, source, {});
}

/** {@link compileDeclared} for a schema whose text is read already. */
export function compileSource(source: SchemaSource, options: CompileOptions): CompiledSchema {
  return compiledOf(readSchema(source, options), source, options);
}

function compiledOf(
  read: ReadSchema | SchemaError,
  source: SchemaSource,
  options: CompileOptions,
): CompiledSchema {
  if ("code" in read) return compiled(source, read, { error: read, warnings: [] });
  const { document, checker } = read;
  const { dialect } = document.vocabulary;
  const isPlain = options.messages === "plain";
  // A schema with further documents is not sent to a thread: the documents stay in this one.
  const job = options.documents === undefined ? jobOf(source, options) : undefined;
  const warnings = isPlain ? read.warnings.map((each) => worded(each)) : read.warnings;
  const rest = { dialect, warnings };
  return compiled(source, checker, rest, isPlain, read, isNull(source.bytes), job);
}

/**
 * Compiles a JSON Schema (draft-04, -06, -07, 2019-09 or 2020-12, by its `$schema`) from an untrusted source. Checks
 * limits first, then the dialect's metaschema. References stay inside the document and the documents that you pass;
 * nothing is ever fetched; the caller's object is not changed.
 *
 * Never throws: if the schema cannot be used, or if there is none, `error` says why, with a code, a message and a
 * pointer, and no value is valid.
 * @param schema an object or a boolean; its JSON text, in which numbers are exact; or that text as UTF-8
 */
export function compile<const S extends JsonSchema | string | Uint8Array>(
  schema: S,
  options?: CompileOptions,
): CompiledSchema<FromSchema<S>> {
  return compileArgument(schema, options) as CompiledSchema<FromSchema<S>>;
}

function compileArgument(schema: unknown, options: CompileOptions | undefined): CompiledSchema {
  try {
    const read = readArgument(schema);
    if ("error" in read) return unusable(read.error);
    const source = readSource(read.input, schemaLimits(options));
    if (source.fault === undefined && isNull(source.bytes)) return unusable(NULL_TEXT);
    return compileSource(source, { ...options, messages: options?.messages ?? "plain" });
  } catch (thrown) {
    return unusableOptions(thrown);
  }
}

/** Returns a schema that no value satisfies, because it cannot be used. */
function unusable(error: SchemaError): CompiledSchema {
  return compiled(sourceWithFault(error), error, { error, warnings: [] });
}

function unusableOptions(thrown: unknown): CompiledSchema {
  const message = `the schema's options cannot be used: ${messageOf(thrown)}`;
  return unusable({ code: "uncompilable", message, path: "" });
}

/**
 * Compiles a schema, and validates one value by it. Use {@link compile} to validate more than one: it does most of the
 * work. Never throws: if the schema cannot be used, the check is not valid, and its outcome is `uncompilable`.
 */
export function validate(
  schema: JsonSchema | string | Uint8Array,
  value: unknown,
  options?: CheckOptions,
): Check {
  return compile(schema).validate(value, options);
}

/**
 * {@link compile} for a schema that somebody else declares, such as a server for its tools. `null`, `undefined` and the
 * text `null` mean that none is declared: every value is valid, whatever its size and nesting. A string as the value
 * is not a schema.
 */
export function compileDeclared(input: SchemaInput, options?: CompileOptions): CompiledSchema {
  try {
    return compileSource(readSource(input, schemaLimits(options)), options ?? {});
  } catch (thrown) {
    return unusableOptions(thrown);
  }
}

/**
 * Returns what {@link compileDeclared} returns for a schema whose text is over the default limit, for callers that did
 * not keep the text: `error` is `too_large`.
 * @param bytes the length of the text
 */
export function tooLargeSchema(bytes: number): CompiledSchema {
  return compileSource(sourceWithFault(schemaTooLarge(String(bytes), SCHEMA_LIMITS.maxBytes)), {});
}

/**
 * Compiles a constant schema of the program itself. A test (`test/own-schemas.test.ts`) checks it against its
 * metaschema: doing that here takes longer than everything else.
 */
export function compileOwn(value: unknown, options?: CompileOptions): CompiledSchema {
  return compileDeclared({ value }, { ...options, metaschema: false });
}
