/** Everything that the packages of Touchstone use. It may change with any version: `@touchstone/core` is what stays. */
export {
  type CachedOptions,
  MAX_SYNC_SCHEMA_BYTES,
  SchemaCache,
  type SchemaCacheOptions,
} from "./cache.ts";
export { checkAtOnce } from "./check-at-once.ts";
export type { CheckLater, LaterJob } from "./check-later.ts";
export type { CheckOptions, TextCheckOptions } from "./check-options.ts";
export {
  type CompiledSchema,
  compile,
  compileAtOnce,
  compileDeclared,
  compileOwn,
  tooLargeSchema,
  validate,
} from "./compile.ts";
export {
  messageOf,
  SCHEMA_LIMITS,
  type SchemaError,
  type SchemaErrorCode,
  type SchemaLimits,
  stackOf,
  withoutThrowing,
} from "./document/fault.ts";
export type { SchemaDocuments } from "./document/library.ts";
export type { CompileOptions } from "./document/options.ts";
export { describeProgramObject } from "./document/program-object.ts";
export type { SchemaInput } from "./document/source.ts";
export { type FoundText, findText, type WantedText } from "./engine/pattern/find-text.ts";
export { compilePattern, type Pattern } from "./engine/pattern/pattern.ts";
export { samplePattern } from "./engine/pattern/sample.ts";
export type { FromSchema } from "./from-schema.ts";
export { arrayItemSteps, arrayItems } from "./json/array.ts";
export { isBase64 } from "./json/base64.ts";
export { canonicalText, canonicalTextSteps } from "./json/canonical.ts";
export { type CanonicalOptions, writeCanonicalSteps } from "./json/canonical-writer.ts";
export { type JsonLocation, type LocateOptions, locateJson } from "./json/locate.ts";
export { LocatedMembers, memberPointers, WORDS_PER_MEMBER } from "./json/located.ts";
export { isLossyNumber, isNumberText, type NormalNumber, normaliseNumber } from "./json/number.ts";
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
export { escapeUnsafe, quote, quotePointer, unicodeEscapes } from "./json/quote.ts";
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
export { scanJsonSteps } from "./json/scan-steps.ts";
export {
  skipInQuotes,
  skipInQuotesSteps,
  skipLongQuoted,
  skipLongValue,
  skipQuoted,
} from "./json/skip.ts";
export { decodeStringStart } from "./json/string.ts";
export { decodeUtf8, encodeUtf8, hasByteOrderMark, withoutByteOrderMark } from "./json/text.ts";
export { isObject, type JsonObject, type JsonType, jsonTypeOf } from "./json/value.ts";
export { runSteps, skipSpace } from "./json/walk.ts";
export { DEFAULT_DIALECT, DIALECTS, type Dialect, dialectOf } from "./keywords/dialect.ts";
export { isInPlace } from "./keywords/edges.ts";
export type { AllowedValues } from "./keywords/explain.ts";
export { KEYWORD_SPELLINGS } from "./keywords/index.ts";
export type { KeywordSpelling } from "./keywords/keyword.ts";
export type { Openness } from "./keywords/openness.ts";
export type { Budget } from "./keywords/run.ts";
export { isTypeName, type TypeName } from "./keywords/type.ts";
export {
  type McpSchemaValidator,
  type McpSchemaValidatorOptions,
  type McpValidatorResult,
  mcpSchemaValidator,
} from "./mcp-validator.ts";
export {
  type PatchOperation,
  parseRepairs,
  REPAIR_KINDS,
  REPAIR_NAMES,
  type RepairKind,
  type RepairName,
  repairsNamed,
  SAFE_REPAIRS,
} from "./repair/operation.ts";
export { applyOperation } from "./repair/patch.ts";
export {
  type Repairable,
  type Repaired,
  type RepairOptions,
  repairValue,
} from "./repair/repair.ts";
export {
  type RepairableText,
  type RepairedText,
  repairText,
  repairTextSteps,
  type TextRepair,
} from "./repair/repair-text.ts";
export { type ChosenBranch, closestIssues } from "./report/explain/closest-issues.ts";
export { explainCheck } from "./report/explain/explain.ts";
export type { Fact, FactKind } from "./report/explain/fact.ts";
export { type JsonTextPlace, locatePointers } from "./report/explain/locate.ts";
export { positionsOf, type TextPosition } from "./report/explain/positions.ts";
export {
  type CheckClause,
  type Clause,
  checkClauses,
  describeCheck,
  describeIssue,
  issueClause,
  type RootName,
  type Sentence,
} from "./report/explain/sentence.ts";
export { isUnion } from "./report/explain/tree.ts";
export { boundedResult } from "./report/issues/bounded-result.ts";
export { duplicateWarnings } from "./report/issues/duplicates.ts";
export type { PathStyle } from "./report/issues/issue.ts";
export { derivedIssue } from "./report/issues/issue.ts";
export { editDistance } from "./report/issues/nearest.ts";
export type { IsRequiredAt } from "./report/render/advice.ts";
export type {
  CheckedDocument,
  ReportedDocument,
  UnreadDocument,
} from "./report/render/document.ts";
export { renderJson } from "./report/render/json.ts";
export { renderJunit, xmlText } from "./report/render/junit.ts";
export {
  type ModelLinesOptions,
  type ModelTextOptions,
  modelLines,
  renderForModel,
} from "./report/render/model.ts";
export {
  renderSarif,
  type SarifRule,
  type SarifTool,
  sarifFingerprints,
  sarifLog,
  sarifUri,
} from "./report/render/sarif.ts";
export { renderForTerminal, type TerminalOptions } from "./report/render/terminal.ts";
export {
  type Check,
  type GuardTrip,
  type Issue,
  isSchemaLoop,
  isUnchecked,
  type Outcome,
  PASS,
  RULES,
  type Rule,
  type Suggestion,
  type TreatmentCounts,
  type ValidationResult,
} from "./result.ts";
export type { JsonSchema } from "./schema-argument.ts";
export {
  heaviestTreatment,
  isSchemaRule,
  SCHEMA_RULES,
  type SchemaRule,
  withoutIgnored,
} from "./schema-rules.ts";
export type { StandardProps } from "./standard-schema.ts";
export { type Comparison, foldText, MAX_FOLDED, tooLongToFold } from "./text/fold.ts";
export { isTool } from "./tool-definition.ts";
export {
  isPlaceKey,
  placeFault,
  placeKey,
  RuleSet,
  type Rules,
  ruleSetOf,
  TREATMENTS,
  type Treatment,
  type Undeclared,
} from "./treatment.ts";
export {
  issuesResult,
  SchemaValidator,
  type SchemaValidatorOptions,
  schemaOrNone,
  schemaResult,
  TOOL_FOR_SCHEMA,
  type ValidatorLogger,
  type ValidatorResult,
  validatorResult,
} from "./validator.ts";
