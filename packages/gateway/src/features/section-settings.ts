import {
  type CamelCase,
  camelCase,
  type IntersectionOf,
  oneOf,
  type Schema,
  type TypeOf,
} from "@touchstone/util/schema";
import type { Level } from "./level-setting.ts";
import { SECTION_SETTINGS } from "./list.ts";
import type {
  FeatureCheckOptions,
  FeatureSection,
  RecordedCallEvidence,
  SectionKey,
  SectionSetting,
  SettingControl,
} from "./section-setting.ts";

type All = (typeof SECTION_SETTINGS)[number];
/** The keys of all features in a section. */
type Keys<S extends FeatureSection> = IntersectionOf<
  All extends infer One ? (One extends { keys: Record<S, infer Own> } ? Own : never) : never
>;
type Properties<S extends FeatureSection> = {
  readonly [Name in keyof Keys<S>]: Keys<S>[Name] extends { schema: infer Of } ? Of : never;
};
type Shown<S extends FeatureSection> = {
  readonly [Name in keyof Keys<S> as CamelCase<Name & string>]: Keys<S>[Name] extends {
    shown: Schema<infer Value>;
  }
    ? Schema<Value>
    : Keys<S>[Name] extends { schema: infer Of }
      ? Schema<TypeOf<Of>>
      : never;
};

/** The options of the command line that set keys of a section. */
type OptionsIn<S extends FeatureSection> = {
  readonly [Name in keyof Keys<S> as Keys<S>[Name] extends { option: true }
    ? CamelCase<Name & string>
    : never]?: (Keys<S>[Name] extends { schema: infer Of } ? TypeOf<Of> : never) | undefined;
};
/** The options of the command line that set keys of features. */
export type SectionOptions = OptionsIn<"input_validation"> & OptionsIn<"output_validation">;

const features: readonly SectionSetting[] = SECTION_SETTINGS;

function keysIn(section: FeatureSection): readonly (readonly [name: string, key: SectionKey])[] {
  return features.flatMap(({ keys }) => Object.entries(keys[section] ?? {}));
}

/** Returns the keys that features add to a section, for the schema of the file. */
export function sectionProperties<S extends FeatureSection>(section: S): Properties<S> {
  const entries = keysIn(section).map(([name, { schema }]) => [name, schema]);
  return Object.fromEntries(entries) as Properties<S>;
}

/** Returns the schemas of these keys in the HTTP API, by the program's names. */
export function shownProperties<S extends FeatureSection>(section: S): Shown<S> {
  const entries = keysIn(section).map(([name, { schema, shown }]) => {
    const { enum: values } = schema as { readonly enum?: readonly string[] };
    return [camelCase(name), shown ?? (values === undefined ? schema : oneOf(values))];
  });
  return Object.fromEntries(entries) as Shown<S>;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the settings of a section at one level.
 * @param own what the level sets itself
 */
export function mergeSection<Settings extends object>(
  section: FeatureSection,
  level: Level,
  above: Settings,
  own: Partial<Settings>,
): Settings {
  const merged: Record<string, unknown> = { ...above, ...own };
  for (const [name, { merge, notesTool }] of keysIn(section)) {
    const key = camelCase(name);
    const [before, set] = [(above as Values)[key], (own as Values)[key]];
    if (merge === "add") merged[key] = { ...Object(before), ...Object(set) };
    if (notesTool && level === "tool" && set !== undefined) merged[ofTool(key)] = true;
  }
  return merged as Settings;
}

const ofTool = (key: string): string => `${key}OfTool`;

/**
 * Returns a tool's section without inherited keys for which it matters whether the tool sets them itself.
 * @param settings that the section was made from
 */
export function withoutInheritedKeys<Section extends object>(
  section: FeatureSection,
  written: Section,
  settings: object,
): Section {
  const noted = keysIn(section).flatMap(([name, { notesTool }]) => (notesTool ? name : []));
  const isOwn = (name: string): boolean => (settings as Values)[ofTool(camelCase(name))] === true;
  const kept = Object.entries(written).filter(([name]) => !noted.includes(name) || isOwn(name));
  return Object.fromEntries(kept) as Section;
}

/** Returns the keys of a section that options of the command line set. */
export function optionKeys(section: FeatureSection, options: SectionOptions): object {
  const set = keysIn(section).filter(([, { option }]) => option);
  return Object.fromEntries(set.map(([name]) => [name, (options as Values)[camelCase(name)]]));
}

/** Returns what features add to the options of a check. */
export function featureCheckOptions(settings: object): FeatureCheckOptions {
  return Object.assign({}, ...features.map(({ options }) => options?.(settings as never)));
}

/** Returns the keys, with their section, that may block calls for reasons that records do not show. */
export function possiblyBlockingKeys(
  section: FeatureSection,
  settings: object,
  calls: RecordedCallEvidence,
): readonly string[] {
  return keysIn(section).flatMap(([name, key]) =>
    key.mayBlockMore?.((settings as Values)[camelCase(name)], calls) ? `${section}.${name}` : [],
  );
}

/** Returns the settings of a section that the console's page of settings changes. */
export function settingControls(
  section: FeatureSection,
): readonly (SettingControl & { readonly setting: string; readonly key: string })[] {
  return keysIn(section).flatMap(([name, { control }]) =>
    control === undefined
      ? []
      : [{ ...control, setting: `${section}.${name}`, key: camelCase(name) }],
  );
}
