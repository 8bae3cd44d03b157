import { isObject } from "@touchstone/core/advanced";
import type { PresetName } from "../features/preset/preset.ts";
import type { ConfigFile } from "./schema.ts";

/** The keys of a level that presets and options of the command line set, as a file has them. */
export type PresetKeys = Pick<
  ConfigFile,
  | "input_validation"
  | "output_validation"
  | "protocol_validation"
  | "policy"
  | "pin"
  | "lock"
  | "bridge"
>;

const GUARD = {
  input_validation: {
    mode: "strict",
    undeclared: "violation",
    on_invalid_schema: "block",
    on_unknown_schema: "block",
    repair: ["safe"],
  },
  output_validation: { mode: "strict", on_invalid_schema: "block", on_unknown_schema: "block" },
  protocol_validation: { mode: "strict" },
  pin: "warn",
  lock: "first_use",
} as const satisfies PresetKeys;

/**
 * What each preset sets at its level. `observe` does not change `policy` and `pin`: they are rules of the operator,
 * which no mode weakens.
 */
export const PRESETS: Readonly<Record<PresetName, PresetKeys>> = {
  observe: {
    input_validation: { mode: "warn", undeclared: "warning", repair: [] },
    output_validation: { mode: "warn" },
    protocol_validation: { mode: "warn" },
  },
  guard: GUARD,
  lockdown: {
    ...GUARD,
    policy: { mode: "strict", read_only: "unless_allowed" },
    pin: "strict",
  },
};

/** A value that a preset sets, and its place below the preset's level. */
export interface PresetValue {
  readonly path: readonly string[];
  readonly value: string | string[];
}

/** Returns each value that a preset sets, in the order of the file. */
export function presetValues(name: PresetName): readonly PresetValue[] {
  const below = (set: object, at: readonly string[]): readonly PresetValue[] =>
    Object.entries(set).flatMap(([key, value]) => {
      const path = [...at, key];
      return isObject(value)
        ? below(value, path)
        : [{ path, value: value as PresetValue["value"] }];
    });
  return below(PRESETS[name], []);
}

/**
 * Returns the keys that a preset sets.
 * @param hasLock whether a lock is set already, which a preset never replaces
 */
export function presetKeys(name: PresetName, hasLock: boolean): PresetKeys {
  const { lock, ...keys } = PRESETS[name];
  return hasLock || lock === undefined ? keys : { ...keys, lock };
}

/**
 * Returns a level with the values of its preset written out: the level's own values stay.
 * @param hasLock whether a level above sets a lock
 */
export function expandPreset<Section extends { readonly preset?: PresetName | undefined }>(
  section: Section,
  hasLock: boolean,
): Section {
  if (section.preset === undefined) return section;
  const own = section as Readonly<Record<string, unknown>>;
  const filled = Object.entries(presetKeys(section.preset, hasLock)).map(([key, value]) => {
    const set = own[key];
    if (set === undefined) return [key, value];
    return [key, isObject(set) && isObject(value) ? { ...value, ...set } : set];
  });
  return { ...section, ...Object.fromEntries(filled) };
}
