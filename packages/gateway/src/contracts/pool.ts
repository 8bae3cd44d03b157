import type { ToolContract } from "./contract.ts";

/**
 * Lets equal declarations of a tool share one contract: each session, and each authorization, has its own list, and
 * most lists are equal. Keeps no contract alive.
 */
export class ContractPool {
  readonly #known: Map<string, WeakRef<ToolContract>> = new Map();
  readonly #gone: FinalizationRegistry<string> = new FinalizationRegistry((key) => {
    // It may have been replaced by now.
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  /** The number of entries, including those that are gone but not cleared yet. */
  get size(): number {
    return this.#known.size;
  }

  /** Returns the known contract of the same declaration; else the given one. */
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
