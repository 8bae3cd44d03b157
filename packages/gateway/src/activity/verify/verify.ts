import type { ActivityChain, ActivityReader } from "../store.ts";
import type { CheckpointStatement } from "./checkpoint.ts";
import { CheckpointComparison } from "./comparison.ts";
import type { ChainFault } from "./fault.ts";
import { walkChain } from "./walk.ts";

/** Most faults that a report lists. */
const MAX_FAULTS = 1000;
const PROGRESS_STEP = 1000;

/** What a verification found. */
export interface VerifyReport {
  /** Whether nothing is wrong. */
  readonly ok: boolean;
  readonly chains: number;
  readonly records: number;
  /** Records that retention had removed before. */
  readonly pruned: number;
  readonly faults: readonly ChainFault[];
  /** Faults beyond the 1000 that are listed. */
  readonly more_faults: number;
  /** Chains of the checkpoint that cannot be compared any more, retention having removed them. */
  readonly not_comparable: readonly string[];
}

export interface VerifyOptions {
  /** A statement whose signature has been checked. */
  readonly checkpoint?: CheckpointStatement | undefined;
  /** Told of every thousandth record. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Ends the verification with its reason as an error. */
  readonly signal?: AbortSignal;
}

/**
 * Walks all chains from their first records to their heads and finds every record that was edited,
 * inserted or put elsewhere, and every gap. What is appended or pruned meanwhile is no fault. The
 * chains alone do not show that the end of one was cut off together with the store's note of it, nor
 * that all of one was rewritten: a checkpoint does.
 *
 * @throws ActivityError where the records cannot be read; the signal's reason once it is aborted
 */
export async function verifyActivity(
  reader: ActivityReader,
  { checkpoint, onProgress, signal }: VerifyOptions = {},
): Promise<VerifyReport> {
  const chains = await reader.chains();
  const comparison = new CheckpointComparison(checkpoint);
  const total = chains.reduce((sum, { records }) => sum + records, 0);
  const faults: ChainFault[] = [];
  let count = 0;
  let records = 0;
  const fault = (found: ChainFault): void => {
    count += 1;
    if (faults.length < MAX_FAULTS) faults.push(found);
  };
  for (const chain of chains) {
    if (chain.head === null) fault(unknownChain(chain));
    await walkChain(reader, chain, {
      fault,
      passed: (link) => {
        signal?.throwIfAborted();
        comparison.pass(chain, link);
        records += 1;
        if (records % PROGRESS_STEP === 0) onProgress?.(records, total);
      },
    });
  }
  for (const found of comparison.end(chains)) fault(found);
  const excused = await prunedMeanwhile(reader, faults);
  const standing = faults.filter((found) => !excused.has(found));
  return {
    ok: count === excused.size,
    chains: chains.length,
    records,
    pruned: chains.reduce((sum, { pruned }) => sum + pruned, 0),
    faults: standing,
    more_faults: count - faults.length,
    not_comparable: comparison.notComparable,
  };
}

function unknownChain(chain: ActivityChain): ChainFault {
  const message = `${chain.records} records belong to a chain that touchstone never began`;
  return { chain: chain.chain, kind: "unknown", position: 0, id: chain.first_id, message };
}

/** Gaps that retention made while the chains were walked. */
async function prunedMeanwhile(
  reader: ActivityReader,
  faults: readonly ChainFault[],
): Promise<ReadonlySet<ChainFault>> {
  const gaps = faults.filter(({ kind }) => kind === "removed");
  if (gaps.length === 0) return new Set();
  const pruned = new Map((await reader.chains()).map((chain) => [chain.chain, chain.pruned]));
  return new Set(gaps.filter(({ chain, until = 0 }) => until <= (pruned.get(chain) ?? 0)));
}
