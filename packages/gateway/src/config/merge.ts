import { resolve } from "node:path";
import { FIRST_USE, type PinSettings } from "../contracts/pin-store.ts";
import type { LimitLevel } from "../features/limit.ts";
import { limitsIn } from "../features/limits.ts";
import { mergeSection } from "../features/section-settings.ts";
import type { PolicySettings, ToolRules, ValidationSettings } from "../policy/settings.ts";
import type {
  CallLimitsSection,
  ChecksSection,
  PinSection,
  PolicySection,
} from "../settings/schema.ts";
import { ownSettings } from "../settings/sections.ts";

/** Returns the settings of a level: its own keys, and those of the level above for the rest. */
export function mergeLevel(
  above: ValidationSettings,
  { input_validation, output_validation, protocol_validation }: ChecksSection = {},
  level: "top" | "server" | "tool",
): ValidationSettings {
  const { input, output } = above;
  // Rules are checked by the schema of the file.
  const ofInput = ownSettings<"input_validation">(input_validation) as Partial<typeof input>;
  const ofOutput = ownSettings<"output_validation">(output_validation) as Partial<typeof output>;
  return {
    input: mergeSection("input_validation", level, input, ofInput),
    output: mergeSection("output_validation", level, output, ofOutput),
    protocol: { ...above.protocol, ...ownSettings<"protocol_validation">(protocol_validation) },
    ...(above.policy === undefined ? {} : { policy: above.policy }),
    ...(above.limits === undefined ? {} : { limits: above.limits }),
    ...(above.pin === undefined ? {} : { pin: above.pin }),
    ...(above.adapt === undefined ? {} : { adapt: above.adapt }),
  };
}

/** Returns the settings of a level with its limits of calls, which apply besides those above. */
export function withLimits(
  settings: ValidationSettings,
  level: LimitLevel,
  section: CallLimitsSection | undefined,
): ValidationSettings {
  const own = limitsIn(section);
  if (own === undefined) return settings;
  return { ...settings, limits: [...(settings.limits ?? []), { level, ...own }] };
}

/**
 * Returns the settings of a level with what its section `policy` says. The section adds to those above: nothing that they
 * forbid is allowed again. Only its `mode` and `advertise` replace theirs.
 */
export function withPolicy(
  settings: ValidationSettings,
  level: "top" | "server",
  section: PolicySection | undefined,
): ValidationSettings {
  if (section === undefined || Object.keys(section).length === 0) return settings;
  const { policy: above } = settings;
  const { mode, allow_tools: allowTools, deny_tools: denyTools, read_only: readOnly } = section;
  const { advertise = above?.advertise } = section;
  const rules: ToolRules = {
    level,
    ...(allowTools === undefined ? {} : { allowTools }),
    ...(denyTools === undefined ? {} : { denyTools }),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
  const policy: PolicySettings = {
    ...above,
    mode: mode ?? above?.mode ?? "strict",
    levels: [...(above?.levels ?? []), rules],
    ...(advertise === undefined ? {} : { advertise }),
  };
  return { ...settings, policy };
}

/**
 * Returns settings with a level's pins.
 * @param folder base of a lock file's name
 */
export function withPin(
  settings: ValidationSettings,
  { pin: mode, lock }: PinSection,
  folder: string,
): ValidationSettings {
  const { pin: above } = settings;
  const file = lock === undefined || lock === FIRST_USE ? lock : resolve(folder, lock);
  // Without a setting above, "off" sets nothing.
  if (file === undefined && (mode === undefined || (mode === "off" && above === undefined))) {
    return settings;
  }
  const pin: PinSettings = {
    mode: mode ?? above?.mode ?? "off",
    ...(above?.lock === undefined ? {} : { lock: above.lock }),
    ...(file === undefined ? {} : { lock: file }),
  };
  return { ...settings, pin };
}
