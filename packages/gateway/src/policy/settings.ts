import type { CheckOptions, Rules, Treatment } from "@touchstone/core";
import { FIRST_USE, type PinSettings } from "../contracts/pin-store.ts";
import type { LevelLimits } from "../features/limits.ts";
import { addedOptions } from "../features/section-settings.ts";
import type { AdaptStep, AdaptTarget, SettingsOf } from "../settings/schema.ts";
import { settingsOf } from "../settings/sections.ts";

/** What a check does with a failure: off checks nothing, warn records it, strict blocks the message. */
export type Mode = "off" | "warn" | "strict";
/** Which part of the traffic is checked. */
export type Direction = "input" | "output" | "protocol";
/** What was done with a message that failed a check; else `allowed`. */
export type Decision = "allowed" | "warning" | "repaired" | "blocked";
/** How issues count. */
export type RuleTreatment = Treatment;

/** Classes and places whose issues count as something other than `violation`. */
interface Treatments {
  readonly rules: Rules;
}
/** What the sections of arguments and results have in common. */
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

/** The tool policy of one level, as written there. */
export interface ToolRules {
  /** Where it is set: at the top of the file, in the server's entry, or for the caller. */
  readonly level: "top" | "server" | "caller";
  /** Names and globs; absent if any tool is allowed, empty if none is. */
  readonly allowTools?: readonly string[];
  /** Names and globs. */
  readonly denyTools?: readonly string[];
  /** Whether only tools that declare `readOnlyHint: true` are allowed. */
  readonly readOnly?: boolean;
}
/** The schema of `narrow`, with values for its variables. */
export interface NarrowSchema {
  readonly schema: Readonly<Record<string, unknown>>;
  /** The schema as the file has it, with names of variables. Shown configurations use it. */
  readonly written: Readonly<Record<string, unknown>>;
  /** Values from variables whose names suggest a secret. No text shows them. */
  readonly secrets: readonly string[];
}

/** What is forbidden, whatever a server's schemas allow. `policy/tools.ts` and its siblings decide by it. */
export interface PolicySettings {
  /** The mode of the lowest level that sets one; `strict` if none does. */
  readonly mode: Mode;
  /** Every level with a section `policy`, the top level first. */
  readonly levels: readonly ToolRules[];
  /** Whether lists of tools show what `narrow` allows. Default false. */
  readonly advertise?: boolean;
  /** What the arguments of a tool must satisfy besides its own schema; only in the settings of a tool. */
  readonly narrow?: NarrowSchema;
}

/** How to adapt tool lists to the clients that request them. */
export interface AdaptSettings {
  readonly unusableTools: "pass" | "leave_out";
  readonly outputSchema: "pass" | "drop_unusable" | "drop";
  /** Whether the pages of a list are sent as one. */
  readonly pages: "pass" | "merge";
  /** The clients and providers whose rules schemas are rewritten for; empty if schemas stay as they are. */
  readonly for: readonly AdaptTarget[];
  /** The kinds of steps that rewrite schemas. */
  readonly steps: readonly AdaptStep[];
  /** Whether structured results without content get a block of text. */
  readonly mirrorContent: boolean;
  readonly descriptions: { readonly max?: number | undefined; readonly stripHidden: boolean };
  /** How to shorten names that are too long or that some clients refuse. Absent: names stay. */
  readonly names?: { readonly max: number; readonly prefixLength: number } | undefined;
}

/** The settings in force for one tool, merged from the top level, the server and the tool. */
export interface ValidationSettings {
  /** Absent if no level sets `pin` or `lock`. */
  readonly pin?: PinSettings;
  readonly input: InputCheckSettings;
  readonly output: OutputCheckSettings;
  readonly protocol: ProtocolCheckSettings;
  /** Absent if no level has a section `policy`. */
  readonly policy?: PolicySettings;
  /** Limits of calls and results, of each level that sets some; all apply. Absent if there are none. */
  readonly limits?: readonly LevelLimits[];
  /** Absent if nothing is adapted. */
  readonly adapt?: AdaptSettings | undefined;
}

/** Returns whether unapproved declarations are recorded or held back. */
export function isPinned({ pin }: Pick<ValidationSettings, "pin">): boolean {
  return pin !== undefined && pin.mode !== "off";
}

/**
 * Returns whether optional properties are listed as required ones that may be null, so that calls have nulls which the
 * tool's own schema may refuse.
 */
export function listsNulls(adapt: AdaptSettings | undefined): boolean {
  return adapt?.for.includes("openai-strict") === true;
}

/** Returns which setting is missing for pins; undefined if none is. */
export function pinFault({ pin }: ValidationSettings): string | undefined {
  if (pin === undefined || pin.mode === "off" || pin.lock !== undefined) return undefined;
  return `pin is "${pin.mode}", and no lock says what is approved; set lock to "${FIRST_USE}", or to the file that touchstone lock has written`;
}

/** Returns the strictest mode for results, over all tools. */
export function strictestForAnswers(settings: readonly ValidationSettings[]): Mode {
  return strictest(settings.flatMap(({ output, protocol }) => [output.mode, protocol.mode]));
}

/** Returns the same for structured results only. */
export function strictestForOutput(settings: readonly ValidationSettings[]): Mode {
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
    ...addedOptions(settings),
  };
  options.set(settings, made);
  return made;
}
