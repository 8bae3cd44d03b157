import { openActivityReader } from "../open-sqlite.ts";
import type { ActivityRecord } from "../record.ts";

/** The records of a data directory, oldest first; 1,000 at most. */
export async function recordsIn(dataDir: string): Promise<readonly ActivityRecord[]> {
  const reader = await openActivityReader({ dataDir });
  if (reader === undefined) return [];
  const { activities } = await reader.list({ limit: 1000, offset: 0 });
  await reader.close();
  return activities.toReversed();
}
