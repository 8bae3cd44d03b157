import { resolve } from "node:path";
import { pin } from "../features/pin/pin.ts";
import type { PolicySettings } from "../features/policy/policy.ts";
import type { PresetName } from "../features/preset/preset.ts";
import { presetKeys } from "../settings/presets.ts";
import type { PolicySection } from "../settings/schema.ts";
import { ownSettings } from "../settings/sections.ts";
import { DEFAULT_SETTINGS, type Mode, type ValidationSettings } from "../settings/validation.ts";

/** Command-line options. They override a file at every level. */
export interface Overrides {
  /** Replaces the presets of the file, and its values override the file's; the options below override it. */
  readonly preset?: PresetName | undefined;
  /** For all three directions; the three below override it. */
  readonly mode?: Mode | undefined;
  readonly inputMode?: Mode | undefined;
  readonly outputMode?: Mode | undefined;
  readonly protocolMode?: Mode | undefined;
  /** What happens to what the policy forbids, if there is a policy; `mode` does not change it. */
  readonly policyMode?: Mode | undefined;
  /** Largest arguments and structured results to check, in bytes; not for protocol checks. */
  readonly maxBytes?: number | undefined;
  readonly maxDepth?: number | undefined;
  readonly missingStructuredContent?: "allow" | "block" | undefined;
  readonly onInvalidSchema?: "allow" | "block_external" | "block" | undefined;
  readonly onUnknownSchema?: "allow" | "block" | undefined;
  /** What happens to tools that are not approved; `mode` does not change it. */
  readonly pin?: Mode | undefined;
  /** `first_use`, or a lock file, relative to the working directory. */
  readonly lock?: string | undefined;
  /** `HOST:PORT` or `[IPV6]:PORT`. */
  readonly listen?: string | undefined;
}

/** Returns the settings with the command-line options applied. Pure; values are not checked. */
export function applyOverrides(
  given: ValidationSettings,
  overrides: Overrides,
): ValidationSettings {
  const settings = overrides.preset === undefined ? given : withPreset(given, overrides.preset);
  const { mode, maxBytes, maxDepth, onInvalidSchema, onUnknownSchema, missingStructuredContent } =
    overrides;
  const { input, output, protocol, policy, pin: above, ...rest } = settings;
  const pinned = pin.merge(above, overrides, { fileNamed: (name) => resolve(name) });
  return {
    ...(pinned && { pin: pinned }),
    ...rest,
    ...(policy && { policy: { ...policy, mode: overrides.policyMode ?? policy.mode } }),
    input: {
      ...input,
      mode: overrides.inputMode ?? mode ?? input.mode,
      maxBytes: maxBytes ?? input.maxBytes,
      maxDepth: maxDepth ?? input.maxDepth,
      onInvalidSchema: onInvalidSchema ?? input.onInvalidSchema,
      onUnknownSchema: onUnknownSchema ?? input.onUnknownSchema,
    },
    output: {
      ...output,
      mode: overrides.outputMode ?? mode ?? output.mode,
      maxBytes: maxBytes ?? output.maxBytes,
      maxDepth: maxDepth ?? output.maxDepth,
      onInvalidSchema: onInvalidSchema ?? output.onInvalidSchema,
      onUnknownSchema: onUnknownSchema ?? output.onUnknownSchema,
      missingStructuredContent: missingStructuredContent ?? output.missingStructuredContent,
    },
    protocol: { ...protocol, mode: overrides.protocolMode ?? mode ?? protocol.mode },
  };
}

/** Returns a level of the file without its preset if the command line has another one. */
export function withoutOverriddenPreset<
  Section extends { readonly preset?: PresetName | undefined },
>({ preset }: Overrides, section: Section): Section {
  return preset === undefined ? section : { ...section, preset: undefined };
}

/** Returns settings with the values of a preset instead of their own. */
function withPreset(settings: ValidationSettings, name: PresetName): ValidationSettings {
  const { input, output, protocol, policy, pin: above, ...rest } = settings;
  const keys = presetKeys(name, above?.lock !== undefined);
  const pinned = pin.merge(above, keys, { fileNamed: (file) => file });
  return {
    ...rest,
    ...(pinned && { pin: pinned }),
    input: { ...input, ...ownSettings(keys.input_validation), rules: input.rules },
    output: { ...output, ...ownSettings(keys.output_validation), rules: output.rules },
    protocol: { ...protocol, ...ownSettings(keys.protocol_validation) },
    ...(keys.policy === undefined ? policy && { policy } : { policy: merged(policy, keys.policy) }),
  };
}

/** Adds to the rules of the top level, so that no level occurs twice. */
function merged(
  policy: PolicySettings | undefined,
  { mode, read_only }: PolicySection,
): PolicySettings {
  const { levels = [] } = policy ?? {};
  const top = levels.find(({ level }) => level === "top");
  const readOnly = top?.readOnly === true ? true : read_only;
  return {
    ...policy,
    mode: mode ?? policy?.mode ?? "strict",
    levels: [
      { ...(top ?? { level: "top" }), ...(readOnly === undefined ? {} : { readOnly }) },
      ...levels.filter((rules) => rules !== top),
    ],
  };
}

/** Returns the settings without a file: the defaults and the command-line options. */
export function settingsFromOverrides(overrides: Overrides): ValidationSettings {
  return applyOverrides(DEFAULT_SETTINGS, overrides);
}
