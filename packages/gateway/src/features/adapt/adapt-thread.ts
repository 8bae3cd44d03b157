import type { ProviderName } from "@touchstone/protocol/advanced";
import type { AdaptRules, RemainingObjections } from "@touchstone/protocol/lint";
import { JobThread, threadProgram } from "@touchstone/util";
import type { CachedAdaptedTool } from "./known-tools.ts";

/** A longer tool goes to the thread: a single step of one with many branches takes longer than others may wait. */
export const ADAPT_ON_THREAD_BYTES = 8_192;
/** How long the thread may take for one tool by the clock, on a machine with much else to do. */
const MAX_MS = 30_000;

/** A tool to adapt within some milliseconds, or one to compare with what clients refuse. */
export type AdaptJob = { readonly text: Uint8Array } & (
  | { readonly rules: AdaptRules; readonly maxMs: number }
  | { readonly takers: readonly ProviderName[] }
);

/** What is made of a job. The tool is undefined if its time was up. */
export type AdaptJobResult =
  | { readonly tool: CachedAdaptedTool | undefined; readonly ms: number }
  | { readonly left: RemainingObjections | undefined };

const thread: JobThread<AdaptJob, AdaptJobResult> = new JobThread({
  program: threadProgram("features/adapt/adapt-entry", import.meta.url),
  maxMs: MAX_MS,
  maxHeapMb: 256,
  maxWaiting: 64,
});

/** Resolves to undefined if a job is not done: too many wait, it takes too much time or memory, or no thread can start. */
async function done(job: AdaptJob): Promise<AdaptJobResult | undefined> {
  try {
    // A copy: the page around it must not be sent. A slice of a Buffer would be a view of it.
    return await thread.run({ ...job, text: new Uint8Array(job.text) });
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
): Promise<{ readonly tool: CachedAdaptedTool | undefined; readonly ms: number } | undefined> {
  const made = await done({ text, rules, maxMs });
  return made !== undefined && "ms" in made ? made : undefined;
}

/**
 * Compares a tool with what clients refuse, on the same thread. Resolves to undefined if that is not done. Never rejects.
 */
export async function remainingObjectionsOnThread(
  text: Uint8Array,
  takers: readonly ProviderName[],
): Promise<RemainingObjections | undefined> {
  const made = await done({ text, takers });
  return made !== undefined && "left" in made ? made.left : undefined;
}
