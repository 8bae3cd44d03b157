import { isDeepStrictEqual } from "node:util";
import type { ActivitySettings } from "../config/config.ts";
import type { KeptBodies } from "../settings/activity.ts";
import { ReloadError } from "./gateway-options.ts";
import { retentionOf } from "./records.ts";

/** @throws ReloadError if records would have to move from one store to another */
export function refuseStoreMove(before: ActivitySettings, after: ActivitySettings): void {
  if (before.store === after.store) return;
  throw new ReloadError(
    "RESTART_NEEDED",
    "activity.store takes effect with a restart only: the records of a running gateway do not move",
  );
}

/** Returns whether two settings write the same records in the same way. */
export function writesSameRecords(before: ActivitySettings, after: ActivitySettings): boolean {
  const writing = ({ sync, bodies, bodyMaxBytes }: ActivitySettings) => [
    sync,
    bodies,
    bodyMaxBytes,
  ];
  return isDeepStrictEqual(writing(before), writing(after));
}

/** Returns whether two settings keep records for the same time. */
export function hasSameRetention(before: ActivitySettings, after: ActivitySettings): boolean {
  return isDeepStrictEqual(retentionOf(before), retentionOf(after));
}

const KEPT: Readonly<Record<`${KeptBodies}`, string>> = {
  all: "records keep arguments and results",
  failed: "records keep the arguments of failed calls, and no results",
  false: "records keep no arguments and no results",
};

/** Returns the differences between two settings of the records, one line each, for people. */
export function recordSettingChanges(
  before: ActivitySettings,
  after: ActivitySettings,
): readonly string[] {
  const changes: string[] = [];
  const { bodies, bodyMaxBytes, sync, onWriteFailure } = after;
  if (before.bodies !== bodies) {
    changes.push(KEPT[String(bodies) as `${KeptBodies}`]);
  } else if (before.bodyMaxBytes !== bodyMaxBytes) {
    changes.push(`records hold ${bodyMaxBytes} bytes of each body`);
  }
  if (before.drift !== after.drift) {
    changes.push(`the shapes of results are ${after.drift ? "kept" : "no longer kept"}`);
  }
  if (before.sync !== sync) changes.push(`activity.sync is ${sync}`);
  if (before.onWriteFailure !== onWriteFailure) {
    changes.push(`activity.on_write_failure is ${onWriteFailure}`);
  }
  if (!hasSameRetention(before, after)) changes.push("the retention of records has changed");
  return changes;
}
