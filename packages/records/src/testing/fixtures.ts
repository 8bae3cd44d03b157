import { type ActivityFilter, parseActivityFilter } from "../filter.ts";
import { openActivityStore } from "../open-sqlite.ts";
import type { ActivityEntry } from "../record.ts";
import type { ActivityStore } from "../store.ts";
import { tempDir } from "./temp-dir.ts";

export const CALL: ActivityEntry = { type: "tool_call", source: "gateway" };

/** Filters as the command line would read them, with no relative times. */
export function filter(input: Record<string, string> = {}): ActivityFilter {
  return parseActivityFilter(input, new Date(0));
}

export async function openTemp(now?: () => Date): Promise<ActivityStore> {
  return openActivityStore({ dataDir: tempDir(), sync: "normal", ...(now ? { now } : {}) });
}
