import type { Rule } from "@touchstone/core";
import type { SettingsOf } from "../settings/schema.ts";
import { settingsOf } from "../settings/sections.ts";

/** What a check does with a failure: nothing is checked, recorded only, or stopped. */
export type Mode = "off" | "warn" | "strict";
/** Which part of the traffic a check looks at. */
export type Direction = "input" | "output" | "protocol";
/** What was done with a message that failed a check, or `allowed`. */
export type Decision = "allowed" | "warning" | "repaired" | "blocked";
/** How a class of issues counts. */
export type RuleTreatment = "violation" | "warning" | "ignore";

/**
 * The classes of issues that a payload can have under its tool's schema, and that may so be treated apart. A key
 * that stands twice is a fault of the message, and a schema that cannot be used has a setting of its own.
 */
export type SchemaRule = Exclude<Rule, "number" | "duplicate" | "schema" | "protocol">;
export const SCHEMA_RULES: readonly SchemaRule[] = [
  "type",
  "required",
  "extra",
  "value",
  "format",
  "guard",
  "budget",
];

/** Classes of issues that count differently from `violation`. */
interface Treatments {
  readonly rules: Readonly<Partial<Record<Rule, RuleTreatment | undefined>>>;
}
/** How a payload is checked against a schema of its tool. What each setting means is said in `settings/schema.ts`. */
export type SchemaCheckSettings = Omit<SettingsOf<"input_validation">, "rules" | "repair"> &
  Treatments;
/** How arguments are checked, and what of them may be repaired. */
export interface InputCheckSettings extends SchemaCheckSettings {
  readonly repair: SettingsOf<"input_validation">["repair"];
  /** Whether `repair` was set for the tool itself. */
  readonly repairOfTool?: boolean;
}
/** How structured results are checked. */
export type OutputCheckSettings = Omit<SettingsOf<"output_validation">, "rules"> & Treatments;
/** How messages are checked. */
export type ProtocolCheckSettings = SettingsOf<"protocol_validation">;

/** The settings that hold for one tool, after global, server and tool levels are merged. */
export interface ValidationSettings {
  readonly input: InputCheckSettings;
  readonly output: OutputCheckSettings;
  readonly protocol: ProtocolCheckSettings;
}

/** The strictest mode in which answers are judged, be it those of a single tool. */
export function strictestForAnswers(settings: readonly ValidationSettings[]): Mode {
  return strictest(settings.flatMap(({ output, protocol }) => [output.mode, protocol.mode]));
}

/** The same of structured results alone. */
export function strictestForOutput(settings: readonly ValidationSettings[]): Mode {
  return strictest(settings.map(({ output }) => output.mode));
}

function strictest(modes: readonly Mode[]): Mode {
  return (["strict", "warn"] as const).find((mode) => modes.includes(mode)) ?? "off";
}

/** What holds where nothing is configured: everything is checked, and nothing stopped. */
export const DEFAULT_SETTINGS: ValidationSettings = {
  input: { ...settingsOf("input_validation"), rules: {} },
  output: { ...settingsOf("output_validation"), rules: {} },
  protocol: settingsOf("protocol_validation"),
};
