import { admitDocument } from "./document/admit.ts";
import type { AdmittedDocument } from "./document/admitted.ts";
import { buildGraph } from "./document/build.ts";
import { messageOf, type SchemaError, SchemaFaultError } from "./document/fault.ts";
import { DocumentLibrary } from "./document/library.ts";
import { type CompileOptions, schemaLimits } from "./document/options.ts";
import type { SchemaSource } from "./document/source.ts";
import { Engine } from "./engine/engine.ts";
import { formatOf } from "./engine/format/format.ts";
import { isPattern } from "./engine/pattern/pattern.ts";
import { DEFAULT_DIALECT, DIALECTS, POLICY } from "./keywords/dialect.ts";
import type { SchemaGraph } from "./keywords/node.ts";
import { zeroDivisors } from "./keywords/number.ts";
import type { Issue } from "./result.ts";
import { Acceptor } from "./shortcut/acceptor.ts";

/** Checks values against a schema. */
export interface SchemaChecker {
  readonly engine: Engine;
  /** Recognizes most valid texts as valid without building a value from them. */
  readonly acceptor: Acceptor;
}

/** A schema that has been read, with its checker. */
export interface ReadSchema {
  readonly document: AdmittedDocument;
  readonly checker: SchemaChecker;
  /** Oddities in the schema that do not change any verdict. */
  readonly warnings: readonly Issue[];
  /** Checks against the doubles nearest to the schema's numbers, for values whose numbers are doubles. */
  readonly inMemory: () => SchemaChecker;
}

const MAX_WARNINGS = 20;

function formatWarnings({ unknownFormats }: SchemaGraph): readonly Issue[] {
  return [...unknownFormats].slice(0, MAX_WARNINGS).map(([name, path]): Issue => {
    const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
    const message = `the format ${shown} is not known and is ignored`;
    return { path, message, rule: "format", keyword: "format" };
  });
}

/** Maximum total number of characters in a schema's patterns. */
const MAX_PATTERN_LENGTH = 262_144;

/** Maximum sizes of a schema that can be read in about 10 ms. */
const SHORT = { maxSubschemas: 1_000, maxPatternLength: 4_096 };

/** @throws SchemaFaultError for a dialect that does not exist, which an untyped caller can pass */
function requireDialect(dialect: unknown): void {
  if (dialect === POLICY || DIALECTS.some((known) => known === dialect)) return;
  const text = typeof dialect === "string" ? JSON.stringify(dialect.slice(0, 80)) : undefined;
  const given = dialect === null ? "null" : (text ?? `a ${typeof dialect}`);
  const wanted = `it must be one of "${DIALECTS.join('", "')}"`;
  throw new SchemaFaultError(
    "uncompilable",
    `the schema's options cannot be used: "dialect" is ${given}; ${wanted}`,
  );
}

function read(bytes: Uint8Array, options: CompileOptions, isShort: boolean): ReadSchema {
  const { dialect = DEFAULT_DIALECT, formats = true, metaschema = true } = options;
  requireDialect(dialect);
  const full = schemaLimits(options);
  const maxSubschemas = isShort
    ? Math.min(full.maxSubschemas, SHORT.maxSubschemas)
    : full.maxSubschemas;
  const limits = { ...full, maxSubschemas };
  const library = new DocumentLibrary(options.documents, dialect, limits);
  const document = admitDocument(bytes, dialect, limits, library.find, metaschema === false);
  const checkerOf = (from: AdmittedDocument): SchemaChecker => {
    const graph = buildGraph(from, {
      library,
      limits,
      formats,
      formatOf,
      isPattern,
      maxPatternLength: isShort ? SHORT.maxPatternLength : MAX_PATTERN_LENGTH,
    });
    return { engine: new Engine(graph), acceptor: new Acceptor(graph) };
  };
  const checker = checkerOf(document);
  const { graph } = checker.engine;
  let doubles: SchemaChecker | undefined;
  const inMemory = (): SchemaChecker => {
    doubles ??= graph.lossy
      ? checkerOf({ ...document, decimals: zeroDivisors(document.decimals) })
      : checker;
    return doubles;
  };
  return { document, checker, warnings: formatWarnings(graph), inMemory };
}

/** Reads a schema under its limits, or returns why it cannot be used. Never throws. */
export function readSchema({ bytes, fault }: SchemaSource, options: CompileOptions): Read {
  return fault ?? readFault(() => read(bytes, options, false));
}

/**
 * {@link readSchema}, or undefined if that would take more than a few milliseconds. Even a small text can take long:
 * each of its schemas is read once for each dynamic scope.
 */
export function readSchemaNow(
  { bytes, fault }: SchemaSource,
  options: CompileOptions,
): Read | undefined {
  const found = fault ?? readFault(() => read(bytes, options, true));
  const isLong = "code" in found && LIMITED.has(found.code);
  return isLong ? undefined : found;
}

/** The faults that the limits of a short read may cause. */
const LIMITED: ReadonlySet<string> = new Set(["too_many_subschemas", "too_large"]);

type Read = ReadSchema | SchemaError;

function readFault(run: () => ReadSchema): Read {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof SchemaFaultError) return thrown.fault;
    return {
      code: "uncompilable",
      message: `the schema cannot be read: ${messageOf(thrown)}`,
      path: "",
    };
  }
}
