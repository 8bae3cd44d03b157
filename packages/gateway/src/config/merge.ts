import type { Rule } from "@touchstone/core";
import type {
  OutputCheckSettings,
  RuleTreatment,
  SchemaCheckSettings,
  ValidationSettings,
} from "../policy/settings.ts";
import type { InputSection, SettingsSections } from "./config-file.ts";

/** The settings of a level: what it says, key by key, and of the level above what it does not. */
export function mergeLevel(
  above: ValidationSettings,
  { input_validation, output_validation, protocol_validation }: SettingsSections = {},
): ValidationSettings {
  const output: OutputCheckSettings = {
    ...mergeSchemaCheck(above.output, output_validation),
    missingStructuredContent:
      output_validation?.missing_structured_content ?? above.output.missingStructuredContent,
  };
  return {
    input: mergeSchemaCheck(above.input, input_validation),
    output,
    protocol: {
      mode: protocol_validation?.mode ?? above.protocol.mode,
      maxBytes: protocol_validation?.max_bytes ?? above.protocol.maxBytes,
    },
  };
}

function mergeSchemaCheck(
  above: SchemaCheckSettings,
  { mode, max_bytes, max_depth, on_invalid_schema, on_unknown_schema, rules }: InputSection = {},
): SchemaCheckSettings {
  const own: Partial<Record<Rule, RuleTreatment>> = {};
  for (const [rule, treatment] of Object.entries(rules ?? {})) {
    if (treatment !== undefined) own[rule as Rule] = treatment;
  }
  return {
    mode: mode ?? above.mode,
    maxBytes: max_bytes ?? above.maxBytes,
    maxDepth: max_depth ?? above.maxDepth,
    onInvalidSchema: on_invalid_schema ?? above.onInvalidSchema,
    onUnknownSchema: on_unknown_schema ?? above.onUnknownSchema,
    rules: { ...above.rules, ...own },
  };
}
