import type { ActivityReader } from "@touchstone/records/plain";
import {
  type ActivityQuestion,
  type ActivityApiOptions as RecordsApiOptions,
  activityApi as recordsApi,
} from "@touchstone/records/serve";
import { driftReports } from "./drift.ts";

/** How to answer questions about records. */
export type ActivityApiOptions = Omit<RecordsApiOptions, "drift">;

/** Answers questions about records, as {@link recordsApi} does, with reports of drift. */
export function activityApi(
  reader: ActivityReader,
  options: ActivityApiOptions = {},
): (question: ActivityQuestion, signal?: AbortSignal) => Promise<Response> {
  return recordsApi(reader, { ...options, drift: driftReports });
}
