import type { CheckOptions, Rules, Treatment } from "@touchstone/core/advanced";
import type { Mode } from "../features/decision.ts";
import type { LevelSettings } from "../features/level-settings.ts";
import { featureCheckOptions } from "../features/section-settings.ts";
import type { SettingsOf } from "./schema.ts";
import { settingsOf } from "./sections.ts";

export type { Decision, Mode } from "../features/decision.ts";

/** Which part of the traffic is checked. */
export type Direction = "input" | "output" | "protocol";
/** How issues count. */
export type RuleTreatment = Treatment;

/** Classes and places whose issues count as something other than `violation`. */
interface Treatments {
  readonly rules: Rules;
}
/** The settings that arguments and results have in common. */
type Shared = keyof SettingsOf<"input_validation"> & keyof SettingsOf<"output_validation">;
/** How to check a payload by its tool's schema. Each setting is described where it is declared. */
export type SchemaCheckSettings = Pick<SettingsOf<"input_validation">, Exclude<Shared, "rules">> &
  Treatments;
/** How to check arguments, and which repairs are allowed. */
export interface InputCheckSettings
  extends Omit<SettingsOf<"input_validation">, "rules">,
    Treatments {
  /** Whether `repair` was set for the tool itself. */
  readonly repairOfTool?: boolean;
}
/** How structured results are checked. */
export type OutputCheckSettings = Omit<SettingsOf<"output_validation">, "rules"> & Treatments;
/** How messages are checked. */
export type ProtocolCheckSettings = SettingsOf<"protocol_validation">;

/** The settings in force for one tool, merged from the top level, the server and the tool. */
export interface ValidationSettings extends LevelSettings {
  readonly input: InputCheckSettings;
  readonly output: OutputCheckSettings;
  readonly protocol: ProtocolCheckSettings;
}

/** Returns whether unapproved declarations are recorded or held back. */
export function hasPinning({ pin }: Pick<ValidationSettings, "pin">): boolean {
  return pin !== undefined && pin.mode !== "off";
}

/** Returns the strictest mode for results, over all tools. */
export function strictestResultMode(settings: readonly ValidationSettings[]): Mode {
  return strictest(settings.flatMap(({ output, protocol }) => [output.mode, protocol.mode]));
}

/** Returns the same for structured results only. */
export function strictestOutputMode(settings: readonly ValidationSettings[]): Mode {
  return strictest(settings.map(({ output }) => output.mode));
}

function strictest(modes: readonly Mode[]): Mode {
  return (["strict", "warn"] as const).find((mode) => modes.includes(mode)) ?? "off";
}

/** The defaults: everything is checked, nothing is blocked. */
export const DEFAULT_SETTINGS: ValidationSettings = {
  input: { ...settingsOf("input_validation"), rules: {} },
  output: { ...settingsOf("output_validation"), rules: {} },
  protocol: settingsOf("protocol_validation"),
};

const options = new WeakMap<SchemaCheckSettings, CheckOptions>();

/** Returns how to check a payload by its schema, the same object for the same settings. */
export function checkOptions(settings: SchemaCheckSettings): CheckOptions {
  const known = options.get(settings);
  if (known !== undefined) return known;
  const { maxBytes, maxDepth, rules } = settings;
  const made: CheckOptions = {
    maxBytes,
    maxDepth,
    ...(Object.keys(rules).length > 0 && { rules }),
    ...featureCheckOptions(settings),
  };
  options.set(settings, made);
  return made;
}
