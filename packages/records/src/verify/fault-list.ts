import type { ChainFault } from "./fault.ts";

/** How many faults a report lists. */
const MAX_LISTED = 1000;

interface Placed {
  readonly order: number;
  readonly fault: ChainFault;
}

/** Collects faults. Gaps may turn out to be caused by retention. */
export class FaultList {
  #count = 0;
  readonly #others: Placed[] = [];
  readonly #gaps: Placed[] = [];
  /** The positions after the gaps of each chain: one number per gap. */
  readonly #ends: Map<string, number[]> = new Map();

  add(fault: ChainFault): void {
    const { chain, kind, until = 0 } = fault;
    this.#count += 1;
    const isGap = kind === "removed";
    const listed = isGap ? this.#gaps : this.#others;
    if (listed.length < MAX_LISTED) listed.push({ order: this.#count, fault });
    if (!isGap) return;
    const ends = this.#ends.get(chain);
    if (ends === undefined) this.#ends.set(chain, [until]);
    else ends.push(until);
  }

  get hasGaps(): boolean {
    return this.#ends.size > 0;
  }

  /** @param pruned how many records retention has removed from the start of each chain by now */
  standing(pruned: ReadonlyMap<string, number>): {
    /** In the order in which they were found, 1000 at most. */
    readonly listed: readonly ChainFault[];
    readonly count: number;
  } {
    let count = this.#count;
    for (const [chain, ends] of this.#ends) {
      const bound = pruned.get(chain) ?? 0;
      count -= ends.filter((until) => until <= bound).length;
    }
    const gaps = this.#gaps.filter(
      ({ fault: { chain, until = 0 } }) => until > (pruned.get(chain) ?? 0),
    );
    const all = [...this.#others, ...gaps].sort((a, b) => a.order - b.order);
    return { listed: all.slice(0, MAX_LISTED).map(({ fault }) => fault), count };
  }
}
