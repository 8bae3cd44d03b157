import { resolve } from "node:path";
import type { Level, LevelPlace } from "../features/level-setting.ts";
import { levelFaults, mergeLevels } from "../features/level-settings.ts";
import { limitsIn } from "../features/limits.ts";
import { readNarrow } from "../features/narrow/read.ts";
import { mergeSection } from "../features/section-settings.ts";
import type { ValidationSettings } from "../policy/settings.ts";
import type { CallLimitsSection, ChecksSection } from "../settings/schema.ts";
import { ownSettings } from "../settings/sections.ts";
import { valueAt } from "./check.ts";
import type { JsonValue, Path } from "./document.ts";
import type { FaultList } from "./fault-list.ts";

/** The keys of one level: those of checks, of limits and of features. */
export interface LevelSection extends ChecksSection {
  readonly limits?: CallLimitsSection | undefined;
}

/** Where the keys of one level are. */
export interface LevelAt {
  readonly level: Level;
  /** The steps to the keys. */
  readonly path: Path;
  /** Base of the names of files. */
  readonly folder: string;
  /** The file before variables were substituted. */
  readonly written: JsonValue;
  readonly faults: FaultList;
}

/** Returns the settings of a level: its own keys, merged with those of the level above. */
export function mergeLevel(
  above: ValidationSettings,
  section: LevelSection,
  at: LevelAt,
): ValidationSettings {
  const { input, output } = above;
  const { level } = at;
  // Rules are checked by the schema of the file.
  const ofInput = ownSettings(section.input_validation) as Partial<typeof input>;
  const ofOutput = ownSettings(section.output_validation) as Partial<typeof output>;
  const own = limitsIn(section.limits);
  const limits = [...(above.limits ?? []), ...(own === undefined ? [] : [{ level, ...own }])];
  return {
    input: mergeSection("input_validation", level, input, ofInput),
    output: mergeSection("output_validation", level, output, ofOutput),
    protocol: { ...above.protocol, ...ownSettings(section.protocol_validation) },
    ...mergeLevels(above, section, placeOf(at)),
    ...(limits.length === 0 ? {} : { limits }),
  };
}

function placeOf({ level, path, folder, written, faults }: LevelAt): LevelPlace {
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
  { level, path, faults }: Omit<LevelAt, "folder" | "written">,
): void {
  for (const { code, path: inside, message } of levelFaults(settings, section, level)) {
    faults.add(code, [...path, ...inside], message, code === "MISSING_KEY" ? "key" : undefined);
  }
}
