import type { ProviderName } from "@touchstone/protocol";
import type { AdaptRules, ToolLeft } from "@touchstone/protocol/lint";
import { JobThread } from "../../util/job-thread.ts";
import type { KeptTool } from "./known-tools.ts";

/** A longer tool goes to the thread: a single step of one with many branches takes longer than others may wait. */
export const THREAD_BYTES = 8_192;
/** How long the thread may take for one tool by the clock, on a machine with much else to do. */
const MAX_MS = 30_000;

/** A tool to adapt within some milliseconds, or one to compare with what clients refuse. */
export type AdaptJob = { readonly text: Uint8Array } & (
  | { readonly rules: AdaptRules; readonly maxMs: number }
  | { readonly takers: readonly ProviderName[] }
);

/** What is made of a job. The tool is undefined if its time was up. */
export type AdaptMade =
  | { readonly tool: KeptTool | undefined; readonly ms: number }
  | { readonly left: ToolLeft | undefined };

const thread: JobThread<AdaptJob, AdaptMade> = new JobThread({
  program: "features/adapt/adapt-entry",
  maxMs: MAX_MS,
  maxHeapMb: 256,
  maxWaiting: 64,
});

/** Resolves to undefined if a job is not done: too many wait, it takes too much time or memory, or no thread can start. */
async function done(job: AdaptJob): Promise<AdaptMade | undefined> {
  try {
    // A copy: the page around it must not be sent.
    return await thread.run({ ...job, text: job.text.slice() });
  } catch {
    return undefined;
  }
}

/**
 * Adapts a tool on a thread of this process. Resolves to undefined if that is not done. Never rejects.
 * @param maxMs how long the processor may work on it
 */
export async function adaptOnThread(
  text: Uint8Array,
  rules: AdaptRules,
  maxMs: number,
): Promise<{ readonly tool: KeptTool | undefined; readonly ms: number } | undefined> {
  const made = await done({ text, rules, maxMs });
  return made !== undefined && "ms" in made ? made : undefined;
}

/**
 * Compares a tool with what clients refuse, on the same thread. Resolves to undefined if that is not done. Never rejects.
 */
export async function leftOnThread(
  text: Uint8Array,
  takers: readonly ProviderName[],
): Promise<ToolLeft | undefined> {
  const made = await done({ text, takers });
  return made !== undefined && "left" in made ? made.left : undefined;
}
