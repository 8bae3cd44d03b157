import { type CheckOptions, checkText, checkValue, type Judge } from "../check.ts";
import type { Decimals } from "../json/exact.ts";
import type { Check, Issue } from "../result.ts";
import { type AdmittedSchema, admit } from "./admit.ts";
import type { Dialect } from "./dialect.ts";
import {
  type EngineError,
  type EngineMode,
  isKnownFormat,
  makeValidator,
  type Validator,
} from "./engine.ts";
import {
  FaultError,
  messageOf,
  SCHEMA_LIMITS,
  type SchemaFault,
  type SchemaLimits,
} from "./fault.ts";
import { unresolved } from "./normalise.ts";
import { readSource, type SchemaInput, type SchemaSource } from "./source.ts";

export interface CompileOptions {
  /** The dialect of a schema without `$schema`. Default 2020-12. */
  readonly dialect?: Dialect;
  /** Whether `format` is asserted. Default true. */
  readonly formats?: boolean;
  readonly limits?: Partial<SchemaLimits>;
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
  /**
   * Checks a JSON text, given as a string or as UTF-8. Size and nesting are judged first, on the
   * bytes. Numbers are judged by their source text, so that verdicts are exact for those that a
   * double cannot hold; each such number is a warning. Never throws: an exception in the engine
   * ends as outcome `budget`, which is not valid.
   */
  check(input: string | Uint8Array, options?: CheckOptions): Check;
  /**
   * Checks a value in memory, with numbers as doubles, in the value and in the schema: use
   * `check` where the text is at hand. `maxBytes` is compared with a lower bound of the length of
   * the value's JSON text. Never throws; a value with cycles is deeper than any limit.
   */
  checkValue(value: unknown, options?: CheckOptions): Check;
}

const MAX_WARNINGS = 20;

function formatWarnings({ formats, formatNames }: AdmittedSchema): readonly Issue[] {
  if (!formats) return [];
  return [...formatNames]
    .filter(([name]) => !isKnownFormat(name))
    .slice(0, MAX_WARNINGS)
    .map(([name, path]): Issue => {
      const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
      const message = `the format ${shown} is not known and is ignored`;
      return { path, message, rule: "format", keyword: "format" };
    });
}

/** What to say of an exception of the engine's compiler. */
function compileFault(thrown: unknown, { references }: AdmittedSchema): SchemaFault {
  const text = messageOf(thrown);
  const reference = references.find(({ ref }) =>
    text.startsWith(`can't resolve reference ${ref} from id `),
  );
  if (reference !== undefined) return unresolved(reference).fault;
  const shown = text.length > 400 ? `${text.slice(0, 400)}…` : text;
  return {
    code: text.startsWith("can't resolve reference ") ? "unresolved_reference" : "uncompilable",
    message: `the schema cannot be compiled: ${shown}`,
    path: "",
  };
}

/** The validators of one schema; all but the first are compiled when they are first needed. */
class Validators implements Judge {
  readonly fault: undefined;
  readonly lossy: boolean;
  private readonly schema: AdmittedSchema;
  private readonly made: Map<string, Validator> = new Map();

  /** @throws what the engine throws for a schema that it cannot compile. */
  constructor(schema: AdmittedSchema) {
    this.schema = schema;
    this.lossy = schema.lossy;
    this.validator({ allErrors: false, exact: false });
  }

  run(mode: EngineMode, value: unknown, decimals: Decimals): readonly EngineError[] {
    return this.validator(mode)(value, decimals);
  }

  private validator(mode: EngineMode): Validator {
    const key = `${mode.allErrors} ${mode.exact}`;
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const made = makeValidator(this.schema, mode);
    this.made.set(key, made);
    return made;
  }
}

function compiled(
  hash: string,
  judge: Judge,
  rest: Pick<CompiledSchema, "dialect" | "fault" | "warnings">,
): CompiledSchema {
  return {
    hash,
    ...rest,
    check: (input, options) => checkText(judge, input, options),
    checkValue: (value, options) => checkValue(judge, value, options),
  };
}

function broken(hash: string, fault: SchemaFault): CompiledSchema {
  const judge: Judge = { fault, lossy: false, run: () => [] };
  return compiled(hash, judge, { fault, warnings: [] });
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

/** {@link compileSchema} for a schema whose text is read already. */
export function compileSource(
  { bytes, hash, fault }: SchemaSource,
  options: CompileOptions | undefined,
): CompiledSchema {
  if (fault !== undefined) return broken(hash, fault);
  let schema: AdmittedSchema;
  try {
    schema = admit(bytes, options?.dialect, options?.formats !== false, schemaLimits(options));
  } catch (thrown) {
    if (thrown instanceof FaultError) return broken(hash, thrown.fault);
    const message = `the schema cannot be read: ${messageOf(thrown)}`;
    return broken(hash, { code: "uncompilable", message, path: "" });
  }
  try {
    const { dialect } = schema;
    const validators = new Validators(schema);
    return compiled(hash, validators, { dialect, warnings: formatWarnings(schema) });
  } catch (thrown) {
    return broken(hash, compileFault(thrown, schema));
  }
}

/**
 * Compiles a JSON Schema (draft-04, -06, -07, 2019-09 or 2020-12, by its `$schema`) that nobody has
 * to trust: limits are checked first, then the dialect's metaschema; references stay inside the
 * document and nothing is ever fetched; the caller's object is not changed. `null`, `undefined` and
 * the text `null` are no schema, which every value satisfies.
 *
 * Never throws: what is wrong is in `fault`, with a code, a message and a pointer.
 */
export function compileSchema(input: SchemaInput, options?: CompileOptions): CompiledSchema {
  return compileSource(readSource(input, schemaLimits(options)), options);
}
