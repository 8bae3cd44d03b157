import type { ConfigFile, SettingsOf } from "./schema.ts";
import { settingsOf } from "./sections.ts";

/**
 * What records keep of payloads: the arguments of calls that failed a check, the arguments and results of all calls,
 * or nothing.
 */
export type KeptBodies = "failed" | "all" | false;

/** Where records are kept, what they contain and for how long. */
export type ActivitySettings = Omit<SettingsOf<"activity">, "bodies"> & {
  readonly bodies: KeptBodies;
};

/**
 * Returns the settings of records. By default they keep the arguments of calls that failed a check, unless these may
 * be other people's data: if clients of other machines are served, or if the store is PostgreSQL, which many people
 * may read.
 *
 * @param isBeyondLoopback whether clients of other machines are served
 */
export function activityOf(
  written: ConfigFile["activity"],
  { isBeyondLoopback }: { readonly isBeyondLoopback: boolean },
): ActivitySettings {
  const { bodies: chosen, ...rest } = settingsOf("activity", written);
  const isShared = isBeyondLoopback || rest.store !== undefined;
  const bodies = chosen === true ? "all" : (chosen ?? (isShared ? false : "failed"));
  return { ...rest, bodies };
}

const BY_AMOUNT: readonly KeptBodies[] = [false, "failed", "all"];

/** Returns the one of two settings that keeps less. */
export function fewerKeptBodies(one: KeptBodies, other: KeptBodies): KeptBodies {
  return BY_AMOUNT.indexOf(one) < BY_AMOUNT.indexOf(other) ? one : other;
}

/** The settings of records without a file. */
export const DEFAULT_ACTIVITY: ActivitySettings = activityOf(undefined, {
  isBeyondLoopback: false,
});

/** What the default keeps, and how to turn that off, for people. */
export const KEPT_BY_DEFAULT =
  'records keep the arguments of calls that fail a check, redacted; "activity": { "bodies": false } ends that';
