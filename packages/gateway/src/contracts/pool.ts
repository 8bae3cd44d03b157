import type { Issue } from "@touchstone/core";
import type { ToolContract } from "./contract.ts";

/** A page of a list that was read: its contracts, and what is wrong with single tools in it. */
export interface ReadPage {
  readonly tools: readonly ToolContract[];
  readonly faults: readonly Issue[];
  readonly cut: boolean;
  readonly repeated: ReadonlySet<string>;
}

/**
 * Has lists that declare the same tool in the same words hold one contract of it: each session, and each
 * authorization, has a list of its own, and most of them are alike. Holds none itself.
 */
export class ContractPool {
  readonly #known: Map<string, WeakRef<ToolContract>> = new Map();
  readonly #gone: FinalizationRegistry<string> = new FinalizationRegistry((key) => {
    // Another one may stand there by now.
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  readonly #pages: Map<string, WeakRef<ReadPage>> = new Map();
  readonly #left: FinalizationRegistry<string> = new FinalizationRegistry((key) => {
    if (this.#pages.get(key)?.deref() === undefined) this.#pages.delete(key);
  });

  /** Returns the page that was kept under a key, as long as somebody holds it. */
  page(key: string): ReadPage | undefined {
    return this.#pages.get(key)?.deref();
  }

  /** Keeps a page for others. Does not hold it. */
  keep(key: string, page: ReadPage): void {
    this.#pages.set(key, new WeakRef(page));
    this.#left.register(page, key);
  }

  /** How many are known, with those that are gone and have not been cleared away. */
  get size(): number {
    return this.#known.size;
  }

  /** The contract that is known of the same declaration; the given one where there is none. */
  shared(contract: ToolContract): ToolContract {
    const { name, inputHash, outputHash } = contract;
    const key = `${inputHash}\n${outputHash}\n${name}`;
    const known = this.#known.get(key)?.deref();
    if (known !== undefined) return known;
    this.#known.set(key, new WeakRef(contract));
    this.#gone.register(contract, key);
    return contract;
  }
}
