/** The names of presets, from the loosest to the strictest. `settings/presets.ts` has what each of them sets. */
export const PRESET_NAMES = ["observe", "guard", "lockdown"] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** What each preset is for, in a few words. */
export const PRESET_SUMMARIES: Readonly<Record<PresetName, string>> = {
  observe: "record",
  guard: "block what is invalid",
  lockdown: "read-only tools that did not change",
};

/** The key `preset` of the file and of a server. */
export const PRESET = {
  enum: PRESET_NAMES,
  description: "Sets several settings of this level; settings of the level itself override it",
} as const;
