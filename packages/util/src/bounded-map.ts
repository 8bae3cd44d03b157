/** A map that drops its oldest entry beyond a number of entries. */
export class BoundedMap<K, V> {
  readonly #entries: Map<K, V> = new Map();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Adds an entry as the newest. Returns the dropped one. */
  set(key: K, value: V): V | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#max) return undefined;
    for (const [oldest, forgotten] of this.#entries) {
      this.#entries.delete(oldest);
      return forgotten;
    }
    return undefined;
  }

  /** The entries, the oldest first. */
  values(): V[] {
    return [...this.#entries.values()];
  }

  take(key: K): V | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }
}
