import { count, type Schema } from "@touchstone/util/schema";
import type { BlockingCounts } from "./level-setting.ts";
import { ALL_LEVEL_SETTINGS, type LevelSettings } from "./level-settings.ts";

type All = (typeof ALL_LEVEL_SETTINGS)[number];
type Name = All extends infer One
  ? One extends { blocks: readonly { readonly name: infer Own extends string }[] }
    ? Own
    : never
  : never;

/** The settings of a server, and of its tools that have their own. */
export interface ServerAndToolSettings {
  readonly settings: LevelSettings;
  readonly tools: ReadonlyMap<string, LevelSettings>;
}

const all: readonly (BlockingCounts & { readonly setting: string })[] = ALL_LEVEL_SETTINGS.flatMap(
  (feature) =>
    "blocks" in feature
      ? feature.blocks.map((one: BlockingCounts) => ({ ...one, setting: feature.name }))
      : [],
);

/** The schemas of the numbers in the HTTP API, by name. */
export const BLOCKING_COUNT_SCHEMAS = Object.fromEntries(
  all.map(({ name, shown }) => [name, count(shown)]),
) as { readonly [One in Name]: Schema<number> };

/**
 * Counts what still blocks calls of servers while checks are paused, by name.
 * @param pausesPolicy whether policy is paused as well
 */
export function countBlockingSettings(
  servers: readonly ServerAndToolSettings[],
  pausesPolicy: boolean,
): { readonly [One in Name]: number } {
  const counts = all.map((one) => {
    const own = (of: LevelSettings): never => of[one.setting as keyof LevelSettings] as never;
    const placed = servers.map(({ settings, tools }) => ({
      server: own(settings),
      tools: new Map([...tools].map(([tool, of]) => [tool, own(of)] as const)),
    }));
    return [one.name, pausesPolicy && one.isPolicy === true ? 0 : one.count(placed)] as const;
  });
  return Object.fromEntries(counts) as { readonly [One in Name]: number };
}

/**
 * Returns the counts in words, without those that are 0.
 * @param isOfServer whether all counts are for one server, which the reader already sees
 */
export function blockingTexts(
  counts: { readonly [One in Name]: number },
  isOfServer: boolean,
): readonly string[] {
  return all.flatMap(({ name, text }) => {
    const found = counts[name as Name];
    return found === 0 ? [] : text(found, isOfServer);
  });
}

/** Returns the names of the settings that still block during a pause, or only of those that are paused with policy. */
export function blockingNames(of: "left" | "left_with_policy" | "policy"): readonly string[] {
  const isMeant = ({ isPolicy }: BlockingCounts): boolean =>
    of === "left" || (isPolicy === true) === (of === "policy");
  return all.filter(isMeant).map(({ name }) => name);
}

/** One of each in words, for a sentence that says that there are none. */
export const BLOCKING_NOUNS: readonly string[] = all.map(({ one }) => one);
