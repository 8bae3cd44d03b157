import {
  type CheckOptions,
  checkText,
  checkValue,
  isValidValue,
  type Judge,
  type TextCheckOptions,
} from "../check.ts";
import { type StandardProps, standardProps } from "../faces/standard-schema.ts";
import { NO_DECIMALS } from "../json/exact.ts";
import type { Check, Issue } from "../result.ts";
import { type Deadline, DeadlineError } from "./deadline.ts";
import { DEFAULT_DIALECT, type Dialect } from "./dialect.ts";
import {
  FaultError,
  messageOf,
  SCHEMA_LIMITS,
  type SchemaFault,
  type SchemaLimits,
} from "./fault.ts";
import { isFormat } from "./format/format.ts";
import type { AdmittedDocument } from "./graph/admitted.ts";
import { buildGraph } from "./graph/build.ts";
import { admitDocument } from "./graph/document.ts";
import { emitSchema } from "./graph/emit.ts";
import { Library, type SchemaDocuments } from "./graph/library.ts";
import type { SchemaGraph } from "./graph/node.ts";
import { SchemaJudge } from "./judge.ts";
import { isPattern } from "./pattern/pattern.ts";
import { readSource, type SchemaInput, type SchemaSource } from "./source.ts";

/** How a schema is read, what it may refer to, and what bounds it. */
export interface CompileOptions {
  /** The dialect of a schema without `$schema`. Default 2020-12. */
  readonly dialect?: Dialect;
  /** Whether `format` is asserted. Default true. */
  readonly formats?: boolean;
  /** Of the schema itself. Default {@link SCHEMA_LIMITS}. */
  readonly limits?: Partial<SchemaLimits>;
  /** Further documents that references may lead to, by URI. Nothing is ever fetched. */
  readonly documents?: SchemaDocuments;
  /** Ends what takes too long; without one, the step budget alone bounds it. */
  readonly deadline?: Deadline;
}

/** A schema that is ready to check values, or that tells why it is not. */
export interface CompiledSchema {
  /** `sha256:` and the hex digest of the schema's text; of a value, of its `JSON.stringify` text. */
  readonly hash: string;
  /** The dialect that was applied; absent where there is a fault. */
  readonly dialect?: Dialect;
  /** Why the schema cannot be used. Every check within its limits then ends `uncompilable`. */
  readonly fault?: SchemaFault;
  /** What is odd in the schema and changes no verdict: formats that are not known. */
  readonly warnings: readonly Issue[];
  /** The schema as a Standard Schema and a Standard JSON Schema, version 1. */
  readonly "~standard": StandardProps;
  /**
   * Checks a JSON text, given as a string or as UTF-8. Size and nesting are judged first, on the
   * bytes. Numbers are judged by their source text, so that verdicts are exact for those that a
   * double cannot hold; each such number is a warning. Never throws: an exception in the engine
   * ends as outcome `budget`, which is not valid.
   */
  check(input: string | Uint8Array, options?: TextCheckOptions): Check;
  /**
   * Checks a value in memory, with numbers as doubles, in the value and in the schema: use
   * `check` where the text is at hand. `maxBytes` is compared with a lower bound of the length of
   * the value's JSON text. Never throws; a value with cycles is deeper than any limit.
   */
  checkValue(value: unknown, options?: CheckOptions): Check;
  /**
   * Whether a value in memory, with numbers as doubles, satisfies the schema: the verdict of
   * {@link checkValue} in the shortest way, without reasons. A value that is quickly judged is not
   * measured first, so that limits of size and nesting do not apply; what is bounded is the work:
   * places visited, steps, and time where there is a deadline. Patterns take linear time and only own
   * properties count. What cannot be judged within the bounds is not valid (it may be so where the
   * value is beyond 5,242,880 bytes of text or 1,000 levels), nor is anything where the schema has a
   * fault. Never throws: an exception in the engine is not valid either.
   */
  isValid(value: unknown): boolean;
}

const MAX_WARNINGS = 20;

function formatWarnings({ unknownFormats }: SchemaGraph): readonly Issue[] {
  return [...unknownFormats].slice(0, MAX_WARNINGS).map(([name, path]): Issue => {
    const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
    const message = `the format ${shown} is not known and is ignored`;
    return { path, message, rule: "format", keyword: "format" };
  });
}

type Rest = Pick<CompiledSchema, "dialect" | "fault" | "warnings">;

/** What a schema is, once it has been read. */
interface Read {
  readonly document: AdmittedDocument;
  readonly judge: SchemaJudge;
  /** Judges by the doubles nearest to the schema's numbers, for values whose numbers are doubles. */
  readonly inMemory: () => SchemaJudge;
}

function compiled(hash: string, judge: Judge, rest: Rest, source?: Read): CompiledSchema {
  const check: CompiledSchema["checkValue"] = (value, options) =>
    checkValue(source?.inMemory() ?? judge, value, options);
  return {
    hash,
    ...rest,
    check: (input, options) => checkText(judge, input, options),
    checkValue: check,
    isValid: (value) => isValidValue(source?.inMemory() ?? judge, value),
    "~standard": standardProps({
      checkValue: check,
      written: () =>
        source && {
          schema: source.document.schema,
          dialect: source.document.vocabulary.dialect,
        },
      canonical: () => canonical(judge),
    }),
  };
}

function canonical(judge: Judge): Record<string, unknown> {
  if (!(judge instanceof SchemaJudge)) throw new TypeError("the schema cannot be used");
  const { schema } = emitSchema(judge.graph);
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema };
}

function broken(hash: string, fault: SchemaFault): CompiledSchema {
  return compiled(hash, fault, { fault, warnings: [] });
}

function isLimit(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}

/** The limits that hold for a compilation; one that is no positive integer is the default. */
export function schemaLimits(options: CompileOptions | undefined): SchemaLimits {
  const { maxBytes, maxDepth, maxSubschemas } = options?.limits ?? {};
  return {
    maxBytes: isLimit(maxBytes) ? maxBytes : SCHEMA_LIMITS.maxBytes,
    maxDepth: isLimit(maxDepth) ? maxDepth : SCHEMA_LIMITS.maxDepth,
    maxSubschemas: isLimit(maxSubschemas) ? maxSubschemas : SCHEMA_LIMITS.maxSubschemas,
  };
}

/** How long reading a large schema may take, in milliseconds, where there is a deadline. */
const COMPILE_MS = 180;
/** Schemas up to this many bytes are read in time whatever is in them, and need no deadline. */
const SMALL_BYTES = 4096;

/**
 * Characters that the patterns of a schema may have together. Matchers are made when they are first
 * needed, in a check; where no deadline would end that, fewer are taken.
 */
const MAX_PATTERN_LENGTH = { timed: 262_144, untimed: 16_384 } as const;

function read(bytes: Uint8Array, options: CompileOptions): Read {
  const { dialect = DEFAULT_DIALECT, formats = true } = options;
  const limits = schemaLimits(options);
  const library = new Library(options.documents, dialect, limits);
  const document = admitDocument(bytes, dialect, limits, library.find);
  const judgeOf = (from: AdmittedDocument): SchemaJudge => {
    const graph = buildGraph(from, {
      library,
      limits,
      formats,
      isFormat,
      isPattern,
      maxPatternLength: MAX_PATTERN_LENGTH[options.deadline === undefined ? "untimed" : "timed"],
    });
    return new SchemaJudge(graph, options.deadline);
  };
  const judge = judgeOf(document);
  let doubles: SchemaJudge | undefined;
  const inMemory = (): SchemaJudge => {
    doubles ??= judge.graph.lossy ? judgeOf({ ...document, decimals: NO_DECIMALS }) : judge;
    return doubles;
  };
  // What takes time belongs to the compilation, where the deadline ends it, not to a first check.
  if (bytes.length > SMALL_BYTES) inMemory();
  return { document, judge, inMemory };
}

function tooSlow(bytes: number): SchemaFault {
  const message =
    `the schema, of ${bytes} bytes, takes longer than ${COMPILE_MS} ms to read; ` +
    "split it into smaller schemas, or compile it again if the machine was busy";
  return { code: "too_slow", message, path: "" };
}

/** {@link compileSchema} for a schema whose text is read already. */
export function compileSource(
  { bytes, hash, fault }: SchemaSource,
  options: CompileOptions = {},
): CompiledSchema {
  if (fault !== undefined) return broken(hash, fault);
  const { deadline } = options;
  try {
    const task = (): Read => read(bytes, options);
    const timed = deadline !== undefined && bytes.length > SMALL_BYTES;
    const source = timed ? deadline.run(COMPILE_MS, task) : task();
    const { document, judge } = source;
    const { dialect } = document.vocabulary;
    return compiled(hash, judge, { dialect, warnings: formatWarnings(judge.graph) }, source);
  } catch (thrown) {
    if (thrown instanceof FaultError) return broken(hash, thrown.fault);
    if (thrown instanceof DeadlineError) return broken(hash, tooSlow(bytes.length));
    const message = `the schema cannot be read: ${messageOf(thrown)}`;
    return broken(hash, { code: "uncompilable", message, path: "" });
  }
}

/**
 * Compiles a JSON Schema (draft-04, -06, -07, 2019-09 or 2020-12, by its `$schema`) that nobody has
 * to trust: limits are checked first, then the dialect's metaschema; references stay inside the
 * document and those handed in, and nothing is ever fetched; the caller's object is not changed. `null`, `undefined` and
 * the text `null` are no schema, which every value satisfies.
 *
 * Never throws: what is wrong is in `fault`, with a code, a message and a pointer.
 */
export function compileSchema(input: SchemaInput, options?: CompileOptions): CompiledSchema {
  return compileSource(readSource(input, schemaLimits(options)), options);
}
