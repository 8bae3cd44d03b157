import { type Decimals, decimalsOf } from "../json/exact.ts";
import { scanJson } from "../json/scan.ts";
import { decodeUtf8 } from "../json/text.ts";
import { DEFAULT_DIALECT, DIALECTS, type Dialect, dialectOf } from "./dialect.ts";
import type { EngineSchema } from "./engine.ts";
import { FaultError, type SchemaLimits } from "./fault.ts";
import { checkMetaschema } from "./metaschema.ts";
import { normalise, type Reference, refersToMetaschema } from "./normalise.ts";
import { schemaDecimals } from "./numbers.ts";
import { tooDeep, tooLarge } from "./source.ts";

/** A schema that is fit to be compiled. */
export interface AdmittedSchema extends EngineSchema {
  /** Whether its text holds a number that a double cannot. */
  readonly lossy: boolean;
  readonly references: readonly Reference[];
  /** Names of the formats in it, each with the pointer to its first use. */
  readonly formatNames: ReadonlyMap<string, string>;
}

interface Parsed {
  readonly value: unknown;
  readonly decimals: Decimals;
}

function parse(bytes: Uint8Array, limits: SchemaLimits): Parsed {
  if (bytes.length > limits.maxBytes) {
    throw new FaultError("too_large", tooLarge(`${bytes.length}`, limits.maxBytes).message);
  }
  const scan = scanJson(bytes, { numbers: true, maxDepth: limits.maxDepth });
  if (scan.error?.code === "depth") {
    throw new FaultError("too_deep", tooDeep(limits.maxDepth).message);
  }
  if (scan.error !== undefined) {
    throw new FaultError("invalid_json", `the schema is not JSON: ${scan.error.message}`);
  }
  if (scan.lossyNumbersTruncated) {
    const most = scan.lossyNumbers.length;
    throw new FaultError(
      "uncompilable",
      `the schema has more than ${most} numbers that an IEEE 754 double cannot hold`,
    );
  }
  return { value: JSON.parse(decodeUtf8(bytes)), decimals: decimalsOf(scan.lossyNumbers) };
}

function dialectOfSchema(schema: Record<string, unknown>, fallback: Dialect): Dialect {
  const uri = schema["$schema"];
  // A "$schema" that is no string is left for the metaschema to refuse.
  if (typeof uri !== "string") return fallback;
  const dialect = dialectOf(uri);
  if (dialect !== undefined) return dialect;
  const shown = uri.length > 200 ? `${uri.slice(0, 200)}…` : uri;
  throw new FaultError(
    "unknown_dialect",
    `the dialect ${JSON.stringify(shown)} at /$schema is not known; use ${DIALECTS.join(", ")}`,
    "/$schema",
  );
}

/**
 * Admits a schema: limits, dialect, metaschema, then what {@link normalise} checks. The text `null`
 * is admitted as the schema `true`.
 * @throws FaultError saying why it is refused.
 */
export function admit(
  bytes: Uint8Array,
  fallback: Dialect = DEFAULT_DIALECT,
  formats: boolean,
  limits: SchemaLimits,
): AdmittedSchema {
  const { value, decimals } = parse(bytes, limits);
  const plain = {
    formats,
    metaschema: false,
    decimals: new WeakMap(),
    lossy: false,
    references: [],
    formatNames: new Map<string, string>(),
  };
  if (value === null) return { ...plain, schema: true, dialect: fallback };
  if (typeof value !== "boolean" && (typeof value !== "object" || Array.isArray(value))) {
    const kind = Array.isArray(value) ? "an array" : `a ${typeof value}`;
    throw new FaultError("not_a_schema", `${kind} is not a schema; use an object or a boolean`);
  }
  const schema = value as Record<string, unknown> | boolean;
  const dialect = typeof schema === "boolean" ? fallback : dialectOfSchema(schema, fallback);
  const fault = checkMetaschema(schema, dialect);
  if (fault !== undefined) throw new FaultError(fault);
  if (typeof schema === "boolean") return { ...plain, schema, dialect };
  const found = normalise(schema, dialect, schemaDecimals(decimals), limits.maxSubschemas);
  return {
    schema,
    dialect,
    formats,
    metaschema: refersToMetaschema(found.references, dialect),
    decimals: found.decimals,
    lossy: decimals.size > 0,
    references: found.references,
    formatNames: found.formats,
  };
}
