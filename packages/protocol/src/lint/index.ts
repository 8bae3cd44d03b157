export type { Finding, LintRule, Severity } from "./finding.ts";
export { type LintOptions, lintTools } from "./lint-tools.ts";
export { type LintForOptions, lintFor, type ProviderFinding } from "./providers/lint-for.ts";
export { PROVIDERS, type ProviderName, type ProviderRule } from "./providers/provider.ts";
export { type RewrittenSchema, rewriteSchema } from "./rewrite/rewrite-schema.ts";
