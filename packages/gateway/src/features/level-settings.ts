import type { Schema, Static } from "../util/json-schema.ts";
import type { Both, TypeOf } from "../util/schema-type.ts";
import type { Level, LevelFault, LevelPlace, LevelSetting } from "./level-setting.ts";
import { LEVEL_SETTINGS } from "./list.ts";

type All = (typeof LEVEL_SETTINGS)[number];

/** The settings in force at a level, by feature; what is absent is not set. */
export type LevelSettings = {
  readonly [One in All as One["name"]]?: NonNullable<ReturnType<One["merge"]>>;
};
type Properties<L extends Level> = Both<
  All extends infer One ? (One extends { keys: Record<L, infer Own> } ? Own : never) : never
>;
type Shown = {
  readonly [One in All as One["name"]]: One["shown"] extends Schema
    ? Schema<Static<One["shown"]>>
    : never;
};

const features: readonly LevelSetting[] = LEVEL_SETTINGS;

type Values = Readonly<Record<string, unknown>>;

/** Returns the keys of all features at a level, for the schema of the file. */
export function levelProperties<L extends Level>(level: L): Properties<L> {
  return Object.assign({}, ...features.map(({ keys }) => keys[level]));
}

/** Returns the settings of a level, merged with those of the level above. */
export function mergeLevels(
  above: LevelSettings,
  written: object,
  place: LevelPlace,
): LevelSettings {
  const merged = features.map(({ name, merge }) => [
    name,
    merge((above as Values)[name], written, place),
  ]);
  return Object.fromEntries(merged.filter(([, settings]) => settings !== undefined));
}

/** Returns the keys of a level of which {@link mergeLevels} makes the same settings. */
export function levelKeys<L extends Level>(
  settings: LevelSettings,
  level: L,
  above: LevelSettings = {},
): TypeOf<{ properties: Properties<L> }> {
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
  return Object.fromEntries(features.map(({ name, shown }) => [name, shown])) as Shown;
}
