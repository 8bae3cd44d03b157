import type { ToolContract } from "./contract.ts";

/**
 * Has lists that declare the same tool in the same words hold one contract of it: each session, and each
 * authorization, has a list of its own, and most of them are alike. Holds none itself.
 */
export class ContractPool {
  readonly #known: Map<string, WeakRef<ToolContract>> = new Map();
  readonly #gone: FinalizationRegistry<string> = new FinalizationRegistry((key) => {
    // Another one may be there by now.
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  /** How many are known, with those that are gone and have not been cleared away. */
  get size(): number {
    return this.#known.size;
  }

  /** The contract that is known of the same declaration; the given one if there is none. */
  shared(contract: ToolContract): ToolContract {
    const { name, inputHash, outputHash, isDestructive, isReadOnly, definition } = contract;
    const hints = `${isDestructive}\n${isReadOnly}`;
    const key = `${inputHash}\n${outputHash}\n${hints}\n${definition?.hash}\n${name}`;
    const known = this.#known.get(key)?.deref();
    if (known !== undefined) return known;
    this.#known.set(key, new WeakRef(contract));
    this.#gone.register(contract, key);
    return contract;
  }
}
