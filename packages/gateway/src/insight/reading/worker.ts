import {
  type ActivityWorker,
  startActivityWorker as startThread,
  type ThreadOptions,
} from "@touchstone/records/worker";
import { threadProgram } from "@touchstone/util";

/** Where the records are, and how to prune them. */
export type ActivityWorkerOptions = Omit<ThreadOptions, "program">;

/** Returns a thread over the records of one place. It starts on first use. */
export function startActivityWorker(options: ActivityWorkerOptions): ActivityWorker {
  return startThread({
    ...options,
    program: threadProgram("insight/reading/entry", import.meta.url),
  });
}
