import type { ActivitySettings, GatewayConfig } from "./config.ts";

/** Limits that always have a value. */
type LimitsWithDefault = Required<
  Pick<GatewayConfig["limits"], "tools" | "objectKeys" | "messageKeys">
>;

/** The limits that hold where none are configured. */
export const DEFAULT_LIMITS: GatewayConfig["limits"] & LimitsWithDefault = {
  requestBytes: 16 * 1024 * 1024,
  upstreamFrameBytes: 64 * 1024 * 1024,
  sessions: 100,
  children: 200,
  tools: 10_000,
  objectKeys: 65_536,
  messageKeys: 1_000_000,
};

/** What holds of records where nothing is configured. */
export const DEFAULT_ACTIVITY: ActivitySettings = {
  sync: "normal",
  bodies: false,
  bodyMaxBytes: 65_536,
  onWriteFailure: "refuse",
  drift: false,
  retentionDays: 90,
};
