import type { ActivityChain, ActivityReader } from "../store.ts";
import type { CheckpointStatement } from "./checkpoint.ts";
import { CheckpointComparison } from "./comparison.ts";
import type { ChainFault } from "./fault.ts";
import { FaultList } from "./fault-list.ts";
import { walkChain } from "./walk.ts";

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
  /** What is wrong with that by which records are found: then lists and counts may not report all. */
  readonly store_faults: readonly string[];
}

export interface VerifyOptions {
  /** A statement whose signature has been checked. */
  readonly checkpoint?: CheckpointStatement | undefined;
  /** Called for every thousandth record. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Ends the verification with its reason as an error. */
  readonly signal?: AbortSignal;
}

/**
 * Walks all chains from their first records to their heads and finds every record that was edited,
 * inserted or put elsewhere, and every gap, and looks at that by which the store finds and counts
 * records. What is appended or pruned meanwhile is not a fault. The
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
  const faults = new FaultList();
  let records = 0;
  for (const chain of chains) {
    if (chain.head === null) faults.add(unknownChain(chain));
    await walkChain(reader, chain, {
      fault: (found) => faults.add(found),
      passed: (link) => {
        signal?.throwIfAborted();
        comparison.pass(chain, link);
        records += 1;
        if (records % PROGRESS_STEP === 0) onProgress?.(records, total);
      },
    });
  }
  const now = faults.hasGaps || comparison.isOpen ? await reader.chains() : chains;
  for (const found of comparison.end(now)) faults.add(found);
  const store_faults = await reader.inconsistencies();
  const { listed, count } = faults.standing(new Map(now.map((of) => [of.chain, of.pruned])));
  return {
    ok: count === 0 && store_faults.length === 0,
    chains: chains.length,
    records,
    pruned: chains.reduce((sum, { pruned }) => sum + pruned, 0),
    faults: listed,
    more_faults: count - listed.length,
    not_comparable: comparison.notComparable,
    store_faults,
  };
}

function unknownChain(chain: ActivityChain): ChainFault {
  const message = `${chain.records} records belong to a chain that touchstone never began`;
  return { chain: chain.chain, kind: "unknown", position: 0, id: chain.first_id, message };
}
