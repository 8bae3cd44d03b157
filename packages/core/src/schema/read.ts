import type { Decimal } from "../json/decimal.ts";
import type { Decimals } from "../json/exact.ts";
import type { Issue } from "../result.ts";
import { DeadlineError } from "./deadline.ts";
import { DEFAULT_DIALECT, DIALECTS } from "./dialect.ts";
import { FaultError, messageOf, type SchemaFault } from "./fault.ts";
import { formatOf } from "./format/format.ts";
import type { AdmittedDocument } from "./graph/admitted.ts";
import { buildGraph } from "./graph/build.ts";
import { admitDocument } from "./graph/document.ts";
import { Library } from "./graph/library.ts";
import type { SchemaGraph } from "./graph/node.ts";
import { SchemaJudge } from "./judge.ts";
import { type CompileOptions, schemaLimits } from "./options.ts";
import { isPattern } from "./pattern/pattern.ts";
import type { SchemaSource } from "./source.ts";

/** A schema that has been read, and what judges by it. */
export interface ReadSchema {
  readonly document: AdmittedDocument;
  readonly judge: SchemaJudge;
  /** What is odd in the schema and changes no verdict. */
  readonly warnings: readonly Issue[];
  /** Judges by the doubles nearest to the schema's numbers, for values whose numbers are doubles. */
  readonly inMemory: () => SchemaJudge;
}

const MAX_WARNINGS = 20;

function formatWarnings({ unknownFormats }: SchemaGraph): readonly Issue[] {
  return [...unknownFormats].slice(0, MAX_WARNINGS).map(([name, path]): Issue => {
    const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
    const message = `the format ${shown} is not known and is ignored`;
    return { path, message, rule: "format", keyword: "format" };
  });
}

/**
 * The divisors that have no double nearest to them but 0, which is none: whoever judges by doubles has to
 * take these as they are.
 */
function tinyDivisors(decimals: Decimals): Decimals {
  const isTiny = ([pointer, { digits, exponent }]: readonly [string, Decimal]): boolean =>
    pointer.endsWith("/multipleOf") && Number(`${digits}e${exponent}`) === 0;
  return new Map([...decimals].filter(isTiny));
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

/** @throws FaultError for a dialect that a caller without types asked for, and that there is not */
function requireDialect(dialect: unknown): void {
  if (DIALECTS.some((known) => known === dialect)) return;
  const text = typeof dialect === "string" ? JSON.stringify(dialect.slice(0, 80)) : undefined;
  const given = dialect === null ? "null" : (text ?? `a ${typeof dialect}`);
  const wanted = `it must be one of "${DIALECTS.join('", "')}"`;
  throw new FaultError(
    "uncompilable",
    `the schema's options cannot be used: "dialect" is ${given}; ${wanted}`,
  );
}

function read(bytes: Uint8Array, options: CompileOptions): ReadSchema {
  const { dialect = DEFAULT_DIALECT, formats = true } = options;
  requireDialect(dialect);
  const limits = schemaLimits(options);
  const library = new Library(options.documents, dialect, limits);
  const document = admitDocument(bytes, dialect, limits, library.find);
  const judgeOf = (from: AdmittedDocument): SchemaJudge => {
    const graph = buildGraph(from, {
      library,
      limits,
      formats,
      formatOf,
      isPattern,
      maxPatternLength: MAX_PATTERN_LENGTH[options.deadline === undefined ? "untimed" : "timed"],
    });
    return new SchemaJudge(graph, options.deadline);
  };
  const judge = judgeOf(document);
  let doubles: SchemaJudge | undefined;
  const inMemory = (): SchemaJudge => {
    doubles ??= judge.graph.lossy
      ? judgeOf({ ...document, decimals: tinyDivisors(document.decimals) })
      : judge;
    return doubles;
  };
  // What takes time belongs to the compilation, where the deadline ends it, not to a first check.
  if (bytes.length > SMALL_BYTES) inMemory();
  return { document, judge, warnings: formatWarnings(judge.graph), inMemory };
}

function tooSlow(bytes: number): SchemaFault {
  const message =
    `the schema, of ${bytes} bytes, takes longer than ${COMPILE_MS} ms to read; ` +
    "split it into smaller schemas, or compile it again if the machine was busy";
  return { code: "too_slow", message, path: "" };
}

/**
 * Reads a schema under its limits and, where it is large, the deadline; or tells why it cannot be used. Never
 * throws.
 */
export function readSchema(
  { bytes, fault }: SchemaSource,
  options: CompileOptions,
): ReadSchema | SchemaFault {
  if (fault !== undefined) return fault;
  const { deadline } = options;
  try {
    const task = (): ReadSchema => read(bytes, options);
    const timed = deadline !== undefined && bytes.length > SMALL_BYTES;
    return timed ? deadline.run(COMPILE_MS, task) : task();
  } catch (thrown) {
    if (thrown instanceof FaultError) return thrown.fault;
    if (thrown instanceof DeadlineError) return tooSlow(bytes.length);
    return {
      code: "uncompilable",
      message: `the schema cannot be read: ${messageOf(thrown)}`,
      path: "",
    };
  }
}
