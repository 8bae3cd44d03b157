import type { SchemaCheckSettings, ValidationSettings } from "../policy/settings.ts";
import type { ChecksSection } from "../settings/schema.ts";
import { ownSettings } from "../settings/sections.ts";

/** Returns the settings of a level: what it says, key by key, and of the level above what it does not. */
export function mergeLevel(
  above: ValidationSettings,
  { input_validation, output_validation, protocol_validation }: ChecksSection = {},
): ValidationSettings {
  return {
    input: merged(above.input, ownSettings<"input_validation">(input_validation)),
    output: merged(above.output, ownSettings<"output_validation">(output_validation)),
    protocol: { ...above.protocol, ...ownSettings<"protocol_validation">(protocol_validation) },
  };
}

function merged<Settings extends SchemaCheckSettings>(
  above: Settings,
  own: Partial<SchemaCheckSettings>,
): Settings {
  return { ...above, ...own, rules: { ...above.rules, ...own.rules } };
}
