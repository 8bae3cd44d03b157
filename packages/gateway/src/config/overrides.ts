import { resolve } from "node:path";
import type { BridgeMode } from "../features/bridge/bridge.ts";
import { overrideLevels } from "../features/level-settings.ts";
import type { PresetName } from "../features/preset/preset.ts";
import { optionKeys, type SectionOptions } from "../features/section-settings.ts";
import { type PresetKeys, presetKeys } from "../settings/presets.ts";
import { ownSettings } from "../settings/sections.ts";
import { DEFAULT_SETTINGS, type Mode, type ValidationSettings } from "../settings/validation.ts";

/** Command-line options. They override a file at every level. */
export interface Overrides extends SectionOptions {
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
  /** What happens to tools that are not approved; `mode` does not change it. */
  readonly pin?: Mode | undefined;
  /** `first_use`, or a lock file, relative to the working directory. */
  readonly lock?: string | undefined;
  /** Whether clients reach servers of another revision. */
  readonly bridge?: BridgeMode | undefined;
  /** `HOST:PORT` or `[IPV6]:PORT`. */
  readonly listen?: string | undefined;
}

/** Returns the settings with the command-line options applied. Pure; values are not checked. */
export function applyOverrides(
  given: ValidationSettings,
  overrides: Overrides,
): ValidationSettings {
  const { preset } = overrides;
  const hasLock = given.pin?.lock !== undefined;
  const settings = preset === undefined ? given : overridden(given, presetKeys(preset, hasLock));
  return overridden(settings, keysOf(overrides));
}

/** Returns options as keys of the file. */
function keysOf(options: Overrides): PresetKeys {
  const { mode, inputMode = mode, outputMode = mode, protocolMode = mode } = options;
  const sizes = { max_bytes: options.maxBytes, max_depth: options.maxDepth };
  const ofInput = optionKeys("input_validation", options);
  const ofOutput = optionKeys("output_validation", options);
  return {
    input_validation: { mode: inputMode, ...sizes, ...ofInput },
    output_validation: { mode: outputMode, ...sizes, ...ofOutput },
    protocol_validation: { mode: protocolMode },
    policy: { mode: options.policyMode },
    pin: options.pin,
    lock: options.lock,
    bridge: options.bridge,
  };
}

/** Returns settings with keys instead of those of all levels. */
function overridden(
  { input, output, protocol, ...levels }: ValidationSettings,
  keys: PresetKeys,
): ValidationSettings {
  return {
    ...overrideLevels(levels, keys, { fileNamed: (name) => resolve(name) }),
    input: { ...input, ...ownSettings(keys.input_validation), rules: input.rules },
    output: { ...output, ...ownSettings(keys.output_validation), rules: output.rules },
    protocol: { ...protocol, ...ownSettings(keys.protocol_validation) },
  };
}

/** Returns a level of the file without its preset if the command line has another one. */
export function withoutOverriddenPreset<
  Section extends { readonly preset?: PresetName | undefined },
>({ preset }: Overrides, section: Section): Section {
  return preset === undefined ? section : { ...section, preset: undefined };
}

/** Returns the settings without a file: the defaults and the command-line options. */
export function settingsFromOverrides(overrides: Overrides): ValidationSettings {
  return applyOverrides(DEFAULT_SETTINGS, overrides);
}
