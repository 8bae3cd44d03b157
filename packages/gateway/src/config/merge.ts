import { resolve } from "node:path";
import type { Level, LevelContext } from "../features/level-setting.ts";
import { levelFaults, mergeLevels } from "../features/level-settings.ts";
import { readNarrow } from "../features/narrow/read.ts";
import type { PresetName } from "../features/preset/preset.ts";
import { mergeSection } from "../features/section-settings.ts";
import { expandPreset } from "../settings/presets.ts";
import type { CallLimitsSection, ChecksSection } from "../settings/schema.ts";
import { ownSettings } from "../settings/sections.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import { valueAt } from "./check.ts";
import type { JsonValue, Path } from "./document.ts";
import type { FaultList } from "./fault-list.ts";

/** The keys of one level: those of checks, of limits and of features. */
export interface LevelSection extends ChecksSection {
  readonly preset?: PresetName | undefined;
  readonly limits?: CallLimitsSection | undefined;
}

/** Where the keys of one level are. */
export interface LevelLocation {
  readonly level: Level;
  /** The steps to the keys. */
  readonly path: Path;
  /** Base of the names of files. */
  readonly folder: string;
  /** The file before variables were substituted. */
  readonly written: JsonValue;
  readonly faults: FaultList;
}

/** Returns the settings of a level: its own keys and those of its preset, merged with the level above. */
export function mergeLevel(
  above: ValidationSettings,
  written: LevelSection,
  at: LevelLocation,
): ValidationSettings {
  const section = expandPreset(written, above.pin?.lock !== undefined);
  const { input, output } = above;
  const { level } = at;
  // Rules are checked by the schema of the file.
  const ofInput = ownSettings(section.input_validation) as Partial<typeof input>;
  const ofOutput = ownSettings(section.output_validation) as Partial<typeof output>;
  return {
    input: mergeSection("input_validation", level, input, ofInput),
    output: mergeSection("output_validation", level, output, ofOutput),
    protocol: { ...above.protocol, ...ownSettings(section.protocol_validation) },
    ...mergeLevels(above, section, placeOf(at)),
  };
}

function placeOf({ level, path, folder, written, faults }: LevelLocation): LevelContext {
  return {
    level,
    fileNamed: (name) => resolve(folder, name),
    schemaAt(key, schema) {
      const at = [...path, key];
      return readNarrow(schema, valueAt(written, at) ?? {}, (inside, message) =>
        faults.add("INVALID_VALUE", [...at, ...inside], message),
      );
    },
  };
}

/** Reports what is wrong between the keys of a level and those of the levels above. */
export function addLevelFaults(
  settings: ValidationSettings,
  section: LevelSection,
  { level, path, faults }: Omit<LevelLocation, "folder" | "written">,
): void {
  for (const { code, path: inside, message } of levelFaults(settings, section, level)) {
    faults.add(code, [...path, ...inside], message, code === "MISSING_KEY" ? "key" : undefined);
  }
}
