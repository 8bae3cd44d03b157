import type { ActivityChain, ChainLink } from "../store.ts";
import type { CheckpointChain, CheckpointStatement } from "./checkpoint.ts";
import type { ChainFault } from "./fault.ts";

/** Compares chains with a checkpoint during the walk. */
export class CheckpointComparison {
  readonly #signed: Map<string, CheckpointChain>;
  readonly #seen: Set<string> = new Set();
  readonly #faults: ChainFault[] = [];
  readonly #notComparable: string[] = [];

  constructor(checkpoint: CheckpointStatement | undefined) {
    this.#signed = new Map((checkpoint?.chains ?? []).map((chain) => [chain.chain, chain]));
  }

  /** Whether some chain's signed end was not found yet. */
  get isOpen(): boolean {
    return this.#seen.size < this.#signed.size;
  }

  get notComparable(): readonly string[] {
    return this.#notComparable;
  }

  /** Checks one row of a chain. */
  pass({ chain }: ActivityChain, { seq, hash, id }: ChainLink): void {
    const signed = this.#signed.get(chain);
    if (signed === undefined || seq !== signed.records - 1) return;
    this.#seen.add(chain);
    if (hash === signed.head) return;
    const message = `record ${id} is not the one that the checkpoint was signed for`;
    this.#faults.push({ chain, kind: "checkpoint", position: seq, id, message });
  }

  /**
   * Returns what is missing from the chains in the checkpoint.
   * @param chains their state after the walk: retention may have removed records in the meantime
   */
  end(chains: readonly ActivityChain[]): readonly ChainFault[] {
    const stored = new Map(chains.map((chain) => [chain.chain, chain]));
    for (const [chain, signed] of this.#signed) {
      if (this.#seen.has(chain) || signed.records === 0) continue;
      const now = stored.get(chain);
      const pruned = now?.pruned ?? 0;
      if (pruned > signed.records) {
        this.#notComparable.push(chain);
      } else if (pruned < signed.records || now?.pruned_hash !== signed.head) {
        const message =
          now === undefined
            ? `the whole chain is missing; the checkpoint lists ${signed.records} records`
            : `the end is missing or was rewritten: the checkpoint lists ${signed.records} records`;
        const position = Math.min(now?.appended ?? 0, signed.records - 1);
        this.#faults.push({ chain, kind: "checkpoint", position, id: null, message });
      }
    }
    return this.#faults;
  }
}
