import { flag, list, members, oneOf } from "../../util/json-schema.ts";
import type { TypeOf } from "../../util/schema-type.ts";
import { ADVERTISE } from "../advertise/advertise-setting.ts";
import type { Mode } from "../decision.ts";
import type { Level, LevelPlace, LevelSetting } from "../level-setting.ts";
import { NARROW, type NarrowSchema } from "../narrow/narrow-schema.ts";
import {
  rulesIn,
  rulesSection,
  SHOWN_TOOL_RULES,
  TOOL_LIST_KEYS,
  type ToolRules,
} from "../tool-lists/tool-rules.ts";

const SECTION = {
  type: "object",
  properties: {
    mode: {
      enum: ["off", "warn", "strict"],
      description:
        "What policy forbids: off forwards it, warn records it, strict blocks it; strict once policy is set",
    },
    ...TOOL_LIST_KEYS,
    advertise: ADVERTISE,
  },
  additionalProperties: false,
} as const;

/** The keys of all levels: what a level has not is unset. */
type Written = TypeOf<{ properties: { policy: typeof SECTION; narrow: typeof NARROW } }>;

/** What is forbidden, whatever a server's schemas allow. `tool-lists/` and `narrow/` decide by it. */
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

/**
 * `policy` of the file and of a server, and `narrow` of a tool: the settings that tool lists, `narrow` and `advertise`
 * share. A section adds to those above: nothing that they forbid is allowed again. Only `mode` and `advertise` replace
 * theirs.
 */
export const policy = {
  name: "policy",
  keys: { top: { policy: SECTION }, server: { policy: SECTION }, tool: { narrow: NARROW } },
  merge(
    above: PolicySettings | undefined,
    { policy: section = {}, narrow }: Written,
    { level, schemaAt }: LevelPlace,
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
      levels: [...levels, rulesIn(level, section)],
      ...(advertise === undefined ? {} : { advertise }),
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
    { mode: oneOf(["off", "warn", "strict"]), advertise: flag, levels: list(SHOWN_TOOL_RULES) },
    "advertise",
  ),
} as const satisfies LevelSetting;
