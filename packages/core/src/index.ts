export { type CachedOptions, SchemaCache, type SchemaCacheOptions } from "./cache.ts";
export type { CheckLater, LaterJob } from "./check-later.ts";
export type { CheckOptions, TextCheckOptions } from "./check-options.ts";
export { type CompiledSchema, compileSchema } from "./compile.ts";
export { compilePattern, type Pattern } from "./engine/pattern/pattern.ts";
export { type ChosenBranch, closestIssues } from "./explain/closest-issues.ts";
export { describeReceived, describeWanted } from "./explain/describe.ts";
export { explainCheck } from "./explain/explain.ts";
export type { Fact, FactKind, Wanted } from "./explain/fact.ts";
export { locatePointers, type Place } from "./explain/locate.ts";
export { type Position, positionsOf } from "./explain/positions.ts";
export {
  type Clause,
  describeCheck,
  describeIssue,
  issueClause,
  type Sentence,
  type Whole,
} from "./explain/sentence.ts";
export { type IssueBranch, type IssueTree, issueTrees } from "./explain/tree.ts";
export {
  type McpSchemaValidator,
  type McpValidatorResult,
  mcpSchemaValidator,
} from "./faces/mcp-validator.ts";
export { isTool, TOOL_FOR_SCHEMA } from "./faces/tool-for-schema.ts";
export {
  issuesResult,
  SchemaValidator,
  type SchemaValidatorOptions,
  schemaResult,
  type ValidatorLogger,
  type ValidatorResult,
  validatorResult,
} from "./faces/validator.ts";
export { duplicateWarnings } from "./issues/duplicates.ts";
export type { PathStyle } from "./issues/issue.ts";
export { editDistance } from "./issues/nearest.ts";
export { quote, quotePointer } from "./issues/quote.ts";
export { madeOf } from "./issues/source.ts";
export { boundedResult } from "./issues/written.ts";
export { arrayItems } from "./json/array.ts";
export { isBase64 } from "./json/base64.ts";
export { hasByteOrderMark, withoutByteOrderMark } from "./json/byte-order-mark.ts";
export { type JsonLocation, type LocateOptions, locateJson } from "./json/locate.ts";
export { LocatedMembers, MEMBER_WORDS, memberPointers } from "./json/located.ts";
export { isLossyNumber, type NormalNumber, normaliseNumber } from "./json/number.ts";
export { isObject, type JsonObject } from "./json/object.ts";
export { jsonText, type ParsedJson, parseJson } from "./json/parse.ts";
export {
  escapePointer,
  type Found,
  fragmentTokens,
  joinPointer,
  pointerTokens,
  unescapePointer,
  valueAt,
} from "./json/pointer.ts";
export type {
  AcceptedValue,
  DuplicateKey,
  ExpectedValue,
  JsonRange,
  JsonScan,
  LossyNumber,
  MemberPlan,
  ScanError,
  ScanOptions,
} from "./json/range.ts";
export { scanJson } from "./json/scan.ts";
export { skipQuoted } from "./json/skip.ts";
export { skipLongQuoted, skipLongValue } from "./json/skip-long.ts";
export { decodeUtf8, encodeUtf8 } from "./json/text.ts";
export { type JsonType, jsonTypeOf } from "./json/type.ts";
export { skipSpace } from "./json/walk.ts";
export { DEFAULT_DIALECT, DIALECTS, type Dialect, dialectOf } from "./keywords/dialect.ts";
export { isTypeName, type TypeName } from "./keywords/type-name.ts";
export type { RequiredAt } from "./render/advice.ts";
export {
  type CheckedDocument,
  type LocatedIssue,
  locateIssues,
  type ReportedDocument,
  type UnreadDocument,
} from "./render/document.ts";
export { renderJson } from "./render/json.ts";
export { renderJunit, xmlText } from "./render/junit.ts";
export {
  type ModelLinesOptions,
  type ModelTextOptions,
  modelLines,
  renderForModel,
} from "./render/model.ts";
export {
  renderSarif,
  type SarifRule,
  type SarifTool,
  sarifLog,
  sarifUri,
} from "./render/sarif.ts";
export { renderForTerminal, type TerminalOptions } from "./render/terminal.ts";
export {
  type Check,
  type GuardTrip,
  type Issue,
  isUnchecked,
  type Outcome,
  PASS,
  RULES,
  type Rule,
  type Suggestion,
  type ValidationResult,
} from "./result.ts";
export {
  messageOf,
  SCHEMA_LIMITS,
  type SchemaFault,
  type SchemaFaultCode,
  type SchemaLimits,
} from "./schema/fault.ts";
export type { SchemaDocuments } from "./schema/graph/library.ts";
export type { CompileOptions } from "./schema/options.ts";
export { describeProgramObject } from "./schema/program-object.ts";
export type { SchemaInput } from "./schema/source.ts";
export type { StandardProps } from "./standard-schema.ts";
