import type { LevelContext, LevelSetting } from "../level-setting.ts";

/** Values of `bridge`. */
export const BRIDGE_MODES = ["auto", "off"] as const;
export type BridgeMode = (typeof BRIDGE_MODES)[number];

const KEYS = {
  bridge: {
    enum: BRIDGE_MODES,
    default: "auto",
    description:
      "auto: clients that begin with initialize reach servers that speak only 2026-07-28",
  },
} as const;

/** The keys of one level, and the setting in force. */
export interface WrittenBridge {
  readonly bridge?: BridgeMode | undefined;
}

/** `bridge` of the file and of a server, which replaces that of the file. Tools have none. */
export const bridge = {
  name: "bridge",
  keys: { top: KEYS, server: KEYS },
  merge(
    above: BridgeMode | undefined,
    { bridge: own }: WrittenBridge,
    { level }: Pick<LevelContext, "level">,
  ): BridgeMode | undefined {
    const mode = level === "tool" ? "auto" : (own ?? above);
    return mode === "auto" ? undefined : mode;
  },
  override: (above: BridgeMode | undefined, { bridge: mode }: WrittenBridge) =>
    mode === undefined ? above : mode === "auto" ? undefined : mode,
  write: (settings: BridgeMode | undefined): WrittenBridge => ({ bridge: settings ?? "auto" }),
} as const satisfies LevelSetting;

/** Returns the mode in force. */
export function bridgeOf({ bridge: mode }: WrittenBridge): BridgeMode {
  return mode ?? "auto";
}
