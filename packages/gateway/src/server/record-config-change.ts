import { messageOf } from "@touchstone/core/advanced";
import { type Author, authorFields, authorText, reasonField } from "@touchstone/records/plain";
import type { ActivityEntry, ActivityLog } from "@touchstone/records/record";
import type { Logger } from "@touchstone/util";

/**
 * Logs and records a change of the configuration that has taken effect. Never rejects: the change stays, and must not be reported
 * as refused.
 */
export async function recordConfigChange(
  activity: Pick<ActivityLog, "append">,
  entry: Pick<ActivityEntry, "source" | "server" | "reason" | "changes">,
  by: Author,
  log: Logger,
): Promise<void> {
  const { reason = "", changes = "" } = entry;
  log.info(`the configuration has changed: ${reason}`, {
    by: authorText(by),
    ...(changes === "" ? {} : { changes }),
    ...reasonField(by),
  });
  try {
    await activity.append([{ ...entry, ...authorFields(by), type: "config_change" }]);
  } catch (error) {
    const what = "the configuration has changed, and that could not be recorded";
    log.error(what, { reason: messageOf(error) });
  }
}
