export type { CheckOptions } from "./check.ts";
export {
  type McpSchemaValidator,
  type McpValidatorResult,
  mcpSchemaValidator,
} from "./faces/mcp-validator.ts";
export type { StandardProps } from "./faces/standard-schema.ts";
export type { PathStyle } from "./issues/issue.ts";
export { editDistance } from "./issues/suggest.ts";
export { arrayItems } from "./json/array.ts";
export { isLossyNumber, type NormalNumber, normaliseNumber } from "./json/number.ts";
export { jsonText, type ParsedJson, parseJson } from "./json/parse.ts";
export { escapePointer, joinPointer } from "./json/pointer.ts";
export type {
  DuplicateKey,
  JsonRange,
  JsonScan,
  LossyNumber,
  MemberPlan,
  ScanError,
  ScanOptions,
} from "./json/range.ts";
export { scanJson } from "./json/scan.ts";
export { decodeUtf8, encodeUtf8 } from "./json/text.ts";
export { type JsonType, jsonTypeOf } from "./json/type.ts";
export {
  type Check,
  type GuardTrip,
  type Issue,
  type Outcome,
  RULES,
  type Rule,
  type Suggestion,
  type ValidationResult,
} from "./result.ts";
export { type CachedOptions, SchemaCache, type SchemaCacheOptions } from "./schema/cache.ts";
export { type CompiledSchema, type CompileOptions, compileSchema } from "./schema/compile.ts";
export { type Deadline, DeadlineError } from "./schema/deadline.ts";
export { DEFAULT_DIALECT, DIALECTS, type Dialect, dialectOf } from "./schema/dialect.ts";
export {
  SCHEMA_LIMITS,
  type SchemaFault,
  type SchemaFaultCode,
  type SchemaLimits,
} from "./schema/fault.ts";
export type { SchemaDocuments } from "./schema/graph/library.ts";
export type { SchemaInput } from "./schema/source.ts";
