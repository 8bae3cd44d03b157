import { messageOf } from "@touchstone/core";
import type { ActivityEntry, ActivityLog } from "../records/record.ts";
import type { Logger } from "../util/log.ts";

/**
 * Records a change of the configuration that has taken effect. Never rejects: the change stays, and must not be reported
 * as refused.
 */
export async function recordConfigChange(
  activity: Pick<ActivityLog, "append">,
  entry: Omit<ActivityEntry, "type">,
  log: Logger,
): Promise<void> {
  try {
    await activity.append([{ ...entry, type: "config_change" }]);
  } catch (error) {
    const what = "the configuration has changed, and that could not be recorded";
    log.error(what, { reason: messageOf(error) });
  }
}
