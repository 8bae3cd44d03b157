import type { ProviderName } from "@touchstone/protocol/advanced";
import type { AdaptRules, RemainingObjections } from "@touchstone/protocol/lint";
import { JobThread, threadProgram } from "@touchstone/util";
import type { CachedAdaptedTool } from "./known-tools.ts";

/**
 * Longer tools are adapted on the thread: one step for a tool with many branches can take too long for other
 * connections.
 */
export const ADAPT_ON_THREAD_BYTES = 8_192;
/** How long the thread may take for one tool in wall-clock time, on a busy machine. */
const MAX_MS = 30_000;

/** A tool to adapt within some milliseconds, or one to compare with what clients refuse. */
export type AdaptJob = { readonly text: Uint8Array } & (
  | { readonly rules: AdaptRules; readonly maxMs: number }
  | { readonly takers: readonly ProviderName[] }
);

/** The result of a job. The tool is undefined if the time ran out. */
export type AdaptJobResult =
  | { readonly tool: CachedAdaptedTool | undefined; readonly ms: number }
  | { readonly left: RemainingObjections | undefined };

const thread: JobThread<AdaptJob, AdaptJobResult> = new JobThread({
  program: threadProgram("features/adapt/adapt-entry", import.meta.url),
  maxMs: MAX_MS,
  maxHeapMb: 256,
  maxWaiting: 64,
});

/**
 * Resolves to undefined if a job is not done: too many others wait, it takes too much time or memory, or no thread
 * can start.
 */
async function done(job: AdaptJob): Promise<AdaptJobResult | undefined> {
  try {
    // Copies the bytes, so that the page around them is not sent. A slice of a Buffer would share its memory with the
    // page.
    return await thread.run({ ...job, text: new Uint8Array(job.text) });
  } catch {
    return undefined;
  }
}

/**
 * Adapts a tool on a thread of this process. Resolves to undefined if the thread did not finish the job. Never
 * rejects.
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
 * Compares a tool with what clients refuse, on the same thread. Resolves to undefined if the thread did not finish
 * the job. Never rejects.
 */
export async function remainingObjectionsOnThread(
  text: Uint8Array,
  takers: readonly ProviderName[],
): Promise<RemainingObjections | undefined> {
  const made = await done({ text, takers });
  return made !== undefined && "left" in made ? made.left : undefined;
}
