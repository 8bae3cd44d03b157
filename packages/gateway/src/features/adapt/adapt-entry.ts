import { parentPort } from "node:worker_threads";
import { takeSteps } from "@touchstone/core";
import { adaptToolSteps, leftIn } from "@touchstone/protocol/lint";
import type { AdaptJob, AdaptMade } from "./adapt-thread.ts";
import { keptOf } from "./known-tools.ts";
import { ListTime } from "./list-time.ts";

/** Does each job that it receives, and sends back what it made. First sends `null` when it is ready. */
parentPort?.on("message", (job: AdaptJob) => parentPort?.postMessage(madeOf(job)));
parentPort?.postMessage(null);

function madeOf(job: AdaptJob): AdaptMade {
  if ("takers" in job) return { left: takeSteps(leftIn(job.text, job.takers)) };
  const time = new ListTime(job.maxMs);
  const made = takeSteps(time.within(adaptToolSteps(job.text, job.rules)));
  return { tool: made && keptOf(made, job.text), ms: time.taken };
}
