import type { ActivityChain, ActivityReader, StoreCheck, TableCheck } from "../store.ts";
import type { CheckpointStatement } from "./checkpoint.ts";
import { CheckpointComparison } from "./comparison.ts";
import { ErasedRecords } from "./erased-records.ts";
import type { ChainFault } from "./fault.ts";
import { FaultList } from "./fault-list.ts";
import { walkChain } from "./walk.ts";

const PROGRESS_STEP = 1000;

/** The result of a verification. */
export interface VerifyReport {
  /** Whether there is no fault. */
  readonly ok: boolean;
  readonly chains: number;
  readonly records: number;
  /**
   * Records whose content about a person was erased: their position in the chain and their remaining content are
   * verified.
   */
  readonly erased: number;
  /** Records that retention removed earlier. */
  readonly pruned: number;
  readonly faults: readonly ChainFault[];
  /** Faults beyond the 1000 listed ones. */
  readonly more_faults: number;
  /** Chains of the checkpoint that can no longer be compared, because retention removed them. */
  readonly not_comparable: readonly string[];
  /** Faults of the other tables, such as approvals, tool lists and counts. */
  readonly store_faults: readonly string[];
  /** The number of approvals, withdrawals and first uses for which a record is evidence. */
  readonly approvals: number;
  readonly first_uses: number;
  /** Approvals and first uses from before this store recorded approvals: there is no evidence about them. */
  readonly unrecorded_approvals: number;
  /**
   * The number of tool lists, and of those that an earlier release has stored: it cannot be verified which server
   * these belong to.
   */
  readonly lists: number;
  readonly unsealed_lists: number;
  /** What was compared in each table, and what was not. */
  readonly tables: readonly TableCheck[];
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
 * Walks all chains from their first records to their ends. Finds every record that was edited, inserted or moved,
 * every gap, and faults of the other tables: `verified` of each table in `sql/` lists what is compared. Records that
 * are appended or pruned in the meantime are not faults. The chains alone do not show that the end of one was cut off
 * together with the store's data about it, nor that a whole chain was rewritten: a checkpoint does.
 *
 * @throws ActivityError if the records cannot be read; the signal's reason once it is aborted
 */
export async function verifyActivity(
  reader: ActivityReader,
  { checkpoint, onProgress, signal }: VerifyOptions = {},
): Promise<VerifyReport> {
  const chains = await reader.chains();
  const comparison = new CheckpointComparison(checkpoint);
  const total = chains.reduce((sum, { records }) => sum + records, 0);
  const faults = new FaultList();
  const erased = new ErasedRecords();
  let records = 0;
  for (const chain of chains) {
    if (chain.head === null) faults.add(unknownChain(chain));
    await walkChain(reader, chain, {
      fault: (found) => faults.add(found),
      erased: (link) => erased.add(chain.chain, link),
      passed: (link) => {
        signal?.throwIfAborted();
        comparison.pass(chain, link);
        records += 1;
        if (records % PROGRESS_STEP === 0) onProgress?.(records, total);
      },
    });
  }
  for (const found of await erased.unproved(reader)) faults.add(found);
  const now = faults.hasGaps || comparison.isOpen ? await reader.chains() : chains;
  for (const found of comparison.end(now)) faults.add(found);
  const { faults: store_faults, ...store } = await checkedStore(reader);
  const { listed, count } = faults.standing(new Map(now.map((of) => [of.chain, of.pruned])));
  return {
    ok: count === 0 && store_faults.length === 0,
    chains: chains.length,
    records,
    erased: erased.count,
    pruned: chains.reduce((sum, { pruned }) => sum + pruned, 0),
    faults: listed,
    more_faults: count - listed.length,
    not_comparable: comparison.notComparable,
    store_faults,
    ...store,
  };
}

/** Between reading a journal and the snapshot, a gateway may have recorded and approved something. */
async function checkedStore(reader: ActivityReader): Promise<StoreCheck> {
  const check = await reader.checkStore();
  return check.faults.length === 0 ? check : reader.checkStore();
}

function unknownChain(chain: ActivityChain): ChainFault {
  const message = `${chain.records} records belong to a chain that touchstone never began`;
  return { chain: chain.chain, kind: "unknown", position: 0, id: chain.first_id, message };
}
