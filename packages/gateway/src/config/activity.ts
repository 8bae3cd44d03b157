import type { ActivitySettings } from "./config.ts";
import type { ActivitySection } from "./config-file.ts";
import { DEFAULT_ACTIVITY } from "./defaults.ts";

/** What a file says of records, with the defaults for what it does not say. */
export function readActivity(section: ActivitySection = {}): ActivitySettings {
  const { store, max_records: maxRecords, max_bytes: maxBytes } = section;
  return {
    sync: section.sync ?? DEFAULT_ACTIVITY.sync,
    bodies: section.bodies ?? DEFAULT_ACTIVITY.bodies,
    bodyMaxBytes: section.body_max_bytes ?? DEFAULT_ACTIVITY.bodyMaxBytes,
    onWriteFailure: section.on_write_failure ?? DEFAULT_ACTIVITY.onWriteFailure,
    drift: section.drift ?? DEFAULT_ACTIVITY.drift,
    retentionDays: section.retention_days ?? DEFAULT_ACTIVITY.retentionDays,
    ...(store === undefined ? {} : { store }),
    ...(maxRecords === undefined ? {} : { maxRecords }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
}
