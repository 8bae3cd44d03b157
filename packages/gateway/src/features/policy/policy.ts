import { plural } from "@touchstone/util/plural";
import { flag, list, members, object, oneOf, type TypeOf } from "@touchstone/util/schema";
import { ADVERTISE } from "../advertise/advertise-setting.ts";
import { MODE_VALUES, type Mode } from "../decision.ts";
import type { Level, LevelContext, LevelSetting, SettingsInForce } from "../level-setting.ts";
import { NARROW, type NarrowSchema } from "../narrow/narrow-schema.ts";
import {
  readToolRules,
  rulesSection,
  SHOWN_TOOL_RULES,
  TOOL_LIST_KEYS,
  type ToolRules,
} from "../tool-lists/tool-rules.ts";

const SECTION = {
  type: "object",
  properties: {
    mode: {
      enum: MODE_VALUES,
      description:
        "What policy forbids: off forwards it, warn records it, strict blocks it; strict once policy is set",
    },
    ...TOOL_LIST_KEYS,
    advertise: ADVERTISE,
  },
  additionalProperties: false,
} as const;

/** The keys of all levels; a key that a level does not have is unset. */
type Written = TypeOf<{ properties: { policy: typeof SECTION; narrow: typeof NARROW } }>;

/** What is forbidden, whatever a server's schemas allow. `tool-lists/` and `narrow/` decide by it. */
export interface PolicySettings {
  /** The mode of the lowest level that sets one; `strict` if none does. */
  readonly mode: Mode;
  /** Every level with a section `policy`, the top level first. */
  readonly levels: readonly ToolRules[];
  /** Whether lists of tools show the constraints of `narrow`. Default false. */
  readonly advertise?: boolean;
  /** What the arguments of a tool must satisfy besides its own schema; only in the settings of a tool. */
  readonly narrow?: NarrowSchema;
}

/**
 * `policy` of the file and of a server, and `narrow` of a tool: the settings that tool lists, `narrow` and
 * `advertise` share. A section adds to those above: it cannot allow anything that they forbid. Only `mode` and
 * `advertise` replace theirs.
 */
export const policy = {
  name: "policy",
  keys: { top: { policy: SECTION }, server: { policy: SECTION }, tool: { narrow: NARROW } },
  merge(
    above: PolicySettings | undefined,
    { policy: section = {}, narrow }: Written,
    { level, schemaAt }: LevelContext,
  ): PolicySettings | undefined {
    const { mode = "strict", levels = [] } = above ?? {};
    if (level === "tool") {
      return narrow === undefined
        ? above
        : { ...above, mode, levels, narrow: schemaAt("narrow", narrow) };
    }
    if (Object.keys(section).length === 0) return above;
    const { advertise = above?.advertise } = section;
    return {
      ...above,
      mode: section.mode ?? mode,
      levels: [...levels, readToolRules(level, section)],
      ...(advertise === undefined ? {} : { advertise }),
    };
  },
  /** Adds to the rules of the top level, so that no level occurs twice. A mode alone forbids nothing. */
  override(
    settings: PolicySettings | undefined,
    { policy: { mode = settings?.mode ?? "strict", read_only } = {} }: Written,
  ): PolicySettings | undefined {
    if (read_only === undefined) return settings && { ...settings, mode };
    const { levels = [] } = settings ?? {};
    const top = levels.find(({ level }) => level === "top");
    const readOnly = top?.readOnly === true ? true : read_only;
    return {
      ...settings,
      mode,
      levels: [{ level: "top", ...top, readOnly }, ...levels.filter((rules) => rules !== top)],
    };
  },
  write(settings: PolicySettings | undefined, level: Level): Written {
    if (level === "tool") return settings?.narrow ? { narrow: settings.narrow.schema } : {};
    const own = settings?.levels.find((rules) => rules.level === level);
    if (settings === undefined || own === undefined) return {};
    const { mode, advertise } = settings;
    const shown = advertise === undefined ? {} : { advertise };
    return { policy: { mode, ...shown, ...rulesSection(own) } };
  },
  shown: members(
    { mode: oneOf(MODE_VALUES), advertise: flag, levels: list(SHOWN_TOOL_RULES) },
    "advertise",
  ),
  ofTool: {
    shown: { narrow: object("As the file has it, with the names of variables.") },
    show: ({ narrow }: PolicySettings) => narrow && { narrow: narrow.written },
    texts: () => [],
  },
  blocks: [
    {
      name: "policy",
      shown: "1 if policy blocks some of its tools.",
      isPolicy: true,
      count: (servers: readonly SettingsInForce<PolicySettings>[]) =>
        servers.filter(({ server }) => isStrict(server) && server.levels.length > 0).length,
      one: "policy",
      text: (count: number, isOfServer: boolean) =>
        isOfServer ? "policy" : `policy of ${plural(count, "server")}`,
    },
    {
      name: "narrow",
      shown: "Tools with narrow.",
      isPolicy: true,
      count: (servers: readonly SettingsInForce<PolicySettings>[]) =>
        servers
          .flatMap(({ server, tools }) => [server, ...tools.values()])
          .filter((of) => isStrict(of) && of.narrow !== undefined).length,
      one: "narrow",
      text: (count: number) => `narrow of ${plural(count, "tool")}`,
    },
  ],
} as const satisfies LevelSetting;

function isStrict(settings: PolicySettings | undefined): settings is PolicySettings {
  return settings?.mode === "strict";
}
