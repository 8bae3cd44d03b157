import type { CheckOptions } from "@touchstone/core";
import type { Schema } from "@touchstone/util/schema";

/**
 * The sections that features add keys to. Sections of checks exist at the top level, for a server and for a tool, and
 * the lowest level wins; `activity` exists at the top level.
 */
export type FeatureSection = "input_validation" | "output_validation" | "activity";

/** One key of a section. */
export interface SectionKey {
  /** JSON Schema of its value in the file, with a `description`, and with a `default` if it has one. */
  readonly schema: object;
  /** How levels merge: `replace` the value above, which is the default, or `add` members to it. */
  readonly merge?: "replace" | "add";
  /** Whether settings note under `NAMEOfTool` that the tool itself has set it. */
  readonly notesTool?: true;
  /** Schema of its value in the HTTP API. Default: one of the texts of `schema`. */
  readonly shown?: Schema;
  /** Returns whether it may block calls for reasons that records do not show. */
  readonly mayBlockMore?: (value: unknown, calls: RecordedCallEvidence) => boolean;
  /**
   * Whether the command line has an option of the same name, which sets the key in each section that has it. The command
   * declares it in `options/common-options.ts`, without loading this.
   */
  readonly option?: true;
  /** How the console's page of settings changes it. Absent: the page only shows its value. */
  readonly control?: SettingControl;
}

/** Facts from records about the calls that settings are compared with. */
export interface RecordedCallEvidence {
  /** Whether the arguments of some calls were repaired. */
  readonly hasRepairs: boolean;
}

/** A line of the console's page of settings, with which people change a setting. */
export interface SettingControl {
  readonly label: string;
  readonly help: string;
  /** The words of the file for off and on. Default: `false` and `true`. */
  readonly words?: readonly [off: string, on: string];
}

/** The options of a check that settings can add. `pipeline/judge.ts` passes them on by name. */
export type FeatureCheckOptions = Pick<CheckOptions, "undeclared">;

/**
 * A feature whose settings are keys of sections. Everything else is derived from it: the file's schema, merging,
 * `config show`, the HTTP API, the console and the checks iterate over the list in `list.ts`.
 */
export interface SectionSetting {
  readonly keys: { readonly [S in FeatureSection]?: Readonly<Record<string, SectionKey>> };
  /** Returns what it adds to the options of a check. */
  readonly options?: (settings: never) => FeatureCheckOptions;
}
