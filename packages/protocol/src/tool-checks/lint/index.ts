export {
  type AdaptChange,
  type AdaptedTool,
  type AdaptKeyword,
  type AdaptRules,
  adaptToolSteps,
  MAX_TOOL_BYTES,
  type RemainingObjections,
  remainingObjections,
} from "../adapt/adapt-tool.ts";
export {
  CLIENT_NAMES,
  CLIENTS,
  type ClientName,
  clientNamed,
  type KnownClient,
  providersOfClients,
} from "../adapt/clients.ts";
export {
  type RewriteChange,
  type RewriteOptions,
  type RewrittenSchema,
  rewriteSchema,
  rewriteSchemaSteps,
} from "../rewrite/rewrite-schema.ts";
export type { StepKind } from "../rewrite/steps.ts";
export type { Finding, LintRule, Severity } from "./finding.ts";
export { type LintOptions, lintTools } from "./lint-tools.ts";
export {
  type LintForOptions,
  lintFor,
  type ProviderFinding,
  type ToolFinding,
} from "./providers/lint-for.ts";
export { PROVIDERS, type ProviderName, type ProviderRule } from "./providers/provider.ts";
