import type { IntersectionOf, Schema, Static, TypeOf } from "@touchstone/util/schema";
import type { Level, LevelContext, LevelFault, LevelSetting } from "./level-setting.ts";
import { type CALL_LIMITS, limitsSetting } from "./limits-setting.ts";
import { LEVEL_SETTINGS } from "./list.ts";

/** All of them. Limits have a list of their own, which `limits.ts` folds to one setting. */
export const ALL_LEVEL_SETTINGS = [...LEVEL_SETTINGS, limitsSetting] as const;

type All = (typeof ALL_LEVEL_SETTINGS)[number];

/** The settings in force at a level, by feature; what is absent is not set. */
export type LevelSettings = {
  readonly [One in All as One["name"]]?: NonNullable<ReturnType<One["merge"]>>;
};
type Properties<L extends Level> = IntersectionOf<
  All extends infer One ? (One extends { keys: Record<L, infer Own> } ? Own : never) : never
>;
type Shown = {
  readonly [One in All as One extends { shown: Schema } ? One["name"] : never]: One extends {
    shown: Schema;
  }
    ? Schema<Static<One["shown"]>>
    : never;
};

const features: readonly LevelSetting[] = ALL_LEVEL_SETTINGS;

type Values = Readonly<Record<string, unknown>>;

/** Returns the keys of all features at a level, for the schema of the file. */
export function levelProperties<L extends Level>(level: L): Properties<L> {
  return Object.assign({}, ...features.map(({ keys }) => keys[level]));
}

/** Returns the settings of a level, merged with those of the level above. */
export function mergeLevels(
  above: LevelSettings,
  written: object,
  place: LevelContext,
): LevelSettings {
  const merged = features.map(({ name, merge }) => [
    name,
    merge((above as Values)[name], written, place),
  ]);
  return Object.fromEntries(merged.filter(([, settings]) => settings !== undefined));
}

/** Returns settings with keys of the command line, or of its preset, which override those of every level. */
export function overrideLevels(
  settings: LevelSettings,
  written: object,
  place: Pick<LevelContext, "fileNamed">,
): LevelSettings {
  const overridden = features.map(({ name, override }) => {
    const above = (settings as Values)[name];
    return [name, override === undefined ? above : override(above, written, place)];
  });
  return Object.fromEntries(overridden.filter(([, own]) => own !== undefined));
}

/** Returns the keys of a level that {@link mergeLevels} reads as the same settings. */
export function levelKeys<L extends Level>(
  settings: LevelSettings,
  level: L,
  above: LevelSettings = {},
): TypeOf<{ properties: Properties<L> }, { readonly call_limits: typeof CALL_LIMITS }> {
  return Object.assign(
    {},
    ...features.map(({ name, keys, write }) =>
      keys[level] === undefined
        ? {}
        : write((settings as Values)[name], level, (above as Values)[name]),
    ),
  );
}

/** Returns what is wrong between the keys of a level and those of the levels above. */
export function levelFaults(
  settings: LevelSettings,
  written: object,
  level: Level,
): readonly LevelFault[] {
  return features.flatMap(
    ({ name, faultIn }) => faultIn?.((settings as Values)[name], written, level) ?? [],
  );
}

/** Returns the schemas of the settings in the HTTP API. */
export function shownLevels(): Shown {
  const entries = features.map(({ name, shown }) => [name, shown] as const);
  return Object.fromEntries(entries.filter(([, shown]) => shown !== undefined)) as Shown;
}

/** Returns settings as the HTTP API shows them: without those of features that it does not show among the checks. */
export function withShownLevels<Settings extends LevelSettings>(settings: Settings): Settings {
  const all: Record<string, unknown> = { ...settings };
  for (const { name, shown, show } of features) {
    if (shown === undefined) delete all[name];
    else if (all[name] !== undefined && show !== undefined) all[name] = show(all[name] as never);
  }
  return all as Settings;
}

type OfTool = IntersectionOf<
  All extends infer One ? (One extends { ofTool: { shown: infer Own } } ? Own : never) : never
>;

const ofTools = features.flatMap(({ name, ofTool }) => (ofTool ? [{ name, ...ofTool }] : []));

/** The schemas of what the HTTP API shows of a tool's own settings, by name. */
export const TOOL_SETTING_SCHEMAS = Object.assign(
  {},
  ...ofTools.map(({ shown }) => shown),
) as OfTool;

/** Returns what the HTTP API shows of a tool's own settings; undefined if it has none. */
export function shownToolSettings(
  settings: LevelSettings,
): { readonly [Name in keyof OfTool]?: Static<OfTool[Name]> } | undefined {
  const shown = ofTools.flatMap(({ name, show }) => {
    const own = (settings as Values)[name];
    return (own === undefined ? undefined : show(own as never)) ?? [];
  });
  return shown.length === 0 ? undefined : Object.assign({}, ...shown);
}

/** Returns what is shown of a tool's own settings in words. */
export function toolSettingTexts(shown: object): readonly string[] {
  return ofTools.flatMap(({ texts }) => texts(shown as never));
}
