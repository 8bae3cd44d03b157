import { plural } from "@touchstone/util/plural";
import { count, list, members, oneOf, type Schema } from "@touchstone/util/schema";
import type { Level, LevelSetting, SettingsInForce } from "./level-setting.ts";
import {
  type CallLimits,
  type LevelLimits,
  LIMIT_KEYS,
  limitProperties,
  limitsSection,
  limitTexts,
  parseLimits,
  pickLimits,
} from "./limits.ts";

/** The schema of `limits` of a server, a tool and a caller, which `$defs` of the file's schema has. */
export const CALL_LIMITS = {
  type: "object",
  properties: limitProperties("level"),
  additionalProperties: false,
} as const;

/** The limits of one level in the HTTP API; what is absent is not limited. */
export const SHOWN_LIMITS = Object.fromEntries(LIMIT_KEYS.map((key) => [key, count()])) as Readonly<
  Record<keyof CallLimits, Schema<number>>
>;
const level = oneOf(["top", "server", "tool", "caller"]);
const KEYS = { limits: { $ref: "#/$defs/call_limits" } } as const;

/** The keys of all levels. The top level's section has further members. */
export interface WrittenLimits {
  readonly limits?: Parameters<typeof parseLimits>[0];
}

/** `limits` on calls and results. A level adds to those above: all apply. */
export const limitsSetting = {
  name: "limits",
  keys: { server: KEYS, tool: KEYS },
  merge(
    above: readonly LevelLimits[] | undefined,
    { limits: section }: WrittenLimits,
    { level }: { readonly level: Level },
  ): readonly LevelLimits[] | undefined {
    const own = parseLimits(section);
    return own === undefined ? above : [...(above ?? []), { level, ...own }];
  },
  write(settings: readonly LevelLimits[] = [], level: Level): WrittenLimits {
    const own = settings.find((one) => one.level === level);
    const section = own && limitsSection(own);
    return section === undefined ? {} : { limits: section };
  },
  shown: list(members({ level, ...SHOWN_LIMITS }, ...LIMIT_KEYS)),
  ofTool: {
    shown: SHOWN_LIMITS,
    show(settings: readonly LevelLimits[]): CallLimits | undefined {
      const own = settings.find(({ level }) => level === "tool");
      return own && pickLimits(own);
    },
    texts: limitTexts,
  },
  blocks: [
    {
      name: "limits",
      shown: "Limits of calls and results.",
      // A limit of the top level counts once, whichever servers it applies to.
      count: (servers: readonly SettingsInForce<readonly LevelLimits[]>[]) =>
        new Set(
          servers.flatMap(({ server, tools }, at) => [
            ...placesOf(server, at, ""),
            ...[...tools].flatMap(([tool, own]) => placesOf(own, at, tool)),
          ]),
        ).size,
      one: "limit of calls or results",
      text: (count: number) =>
        plural(count, "limit of calls or results", "limits of calls or results"),
    },
  ],
} as const satisfies LevelSetting;

function placesOf(
  limits: readonly LevelLimits[] = [],
  server: number,
  tool: string,
): readonly string[] {
  const place = (level: string): readonly unknown[] =>
    level === "top" ? [] : level === "server" ? [server] : [server, tool];
  return limits.flatMap(({ level, ...values }) =>
    LIMIT_KEYS.filter((key) => values[key] !== undefined).map((key) =>
      JSON.stringify([key, level, ...place(level)]),
    ),
  );
}
