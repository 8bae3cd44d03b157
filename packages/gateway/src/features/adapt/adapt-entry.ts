import { parentPort } from "node:worker_threads";
import { runSteps } from "@touchstone/core/advanced";
import { adaptToolSteps, remainingObjections } from "@touchstone/protocol/lint";
import type { AdaptJob, AdaptJobResult } from "./adapt-thread.ts";
import { toCachedTool } from "./known-tools.ts";
import { ListTimeBudget } from "./list-time.ts";

/** Runs each job that it receives, and sends back the result. First sends `null` when it is ready. */
parentPort?.on("message", (job: AdaptJob) => parentPort?.postMessage(madeOf(job)));
parentPort?.postMessage(null);

function madeOf(job: AdaptJob): AdaptJobResult {
  if ("takers" in job) return { left: runSteps(remainingObjections(job.text, job.takers)) };
  const time = new ListTimeBudget(job.maxMs);
  const made = runSteps(time.within(adaptToolSteps(job.text, job.rules)));
  return { tool: made && toCachedTool(made, job.text), ms: time.taken };
}
