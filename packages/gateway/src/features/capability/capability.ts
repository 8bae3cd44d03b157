import { oneOf } from "@touchstone/util/schema";
import type { LevelContext, LevelSetting } from "../level-setting.ts";

const MODES = ["pass", "add"] as const;

/**
 * Whether the gateway adds the validation capability to servers that lack it (`add`), or leaves their messages
 * unchanged (`pass`).
 */
export type CapabilityMode = (typeof MODES)[number];

const KEYS = {
  capability: {
    enum: MODES,
    default: "pass",
    description: "add: offer validation of calls for servers that lack it",
  },
} as const;

/** The keys of one level. */
export interface WrittenCapability {
  readonly capability?: CapabilityMode | undefined;
}

/**
 * `capability` of the file and of a server, which replaces that of the file. `pass` is the same as no setting, and
 * tools do not have this setting.
 */
export const capability = {
  name: "capability",
  keys: { top: KEYS, server: KEYS },
  merge(
    above: CapabilityMode | undefined,
    { capability: own }: WrittenCapability,
    { level }: Pick<LevelContext, "level">,
  ): CapabilityMode | undefined {
    const mode = level === "tool" ? "pass" : (own ?? above);
    return mode === "pass" ? undefined : mode;
  },
  write: (settings: CapabilityMode | undefined): WrittenCapability => ({
    capability: settings ?? "pass",
  }),
} as const satisfies LevelSetting;

/** Returns the mode in force. */
export function capabilityOf({ capability }: WrittenCapability): CapabilityMode {
  return capability ?? "pass";
}

/** Its schema in the HTTP API, which shows it beside the checks. */
export const SHOWN_CAPABILITY = oneOf(MODES);
