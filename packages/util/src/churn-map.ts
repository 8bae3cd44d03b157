/**
 * A map for values that come and go all the time. V8's `Map` lets each outgrown table, with its content, point to the
 * next one: once one of them is old, later tables survive every minor collection, and so does their content. This
 * map's table holds only keys and numbers.
 */
export class ChurnMap<K extends string | number, V> {
  readonly #slotOf: Map<K, number> = new Map();
  readonly #slots: (V | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slotOf.size;
  }

  has(key: K): boolean {
    return this.#slotOf.has(key);
  }

  get(key: K): V | undefined {
    const slot = this.#slotOf.get(key);
    return slot === undefined ? undefined : this.#slots[slot];
  }

  /** Adds an entry as the newest, or replaces the value of an existing key in its place. */
  set(key: K, value: V): void {
    let slot = this.#slotOf.get(key);
    if (slot === undefined) {
      slot = this.#free.pop() ?? this.#slots.length;
      this.#slotOf.set(key, slot);
    }
    this.#slots[slot] = value;
  }

  /** Returns false if there is no entry with this key. */
  delete(key: K): boolean {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) return false;
    this.#slotOf.delete(key);
    this.#slots[slot] = undefined;
    this.#free.push(slot);
    return true;
  }

  clear(): void {
    this.#slotOf.clear();
    this.#slots.length = 0;
    this.#free.length = 0;
  }

  /** The oldest first. Entries that are added or removed meanwhile behave as in a `Map`. */
  keys(): IterableIterator<K> {
    return this.#slotOf.keys();
  }

  /** As {@link keys}. */
  *values(): IterableIterator<V> {
    for (const slot of this.#slotOf.values()) yield this.#slots[slot] as V;
  }

  /** As {@link keys}. */
  *[Symbol.iterator](): IterableIterator<[K, V]> {
    for (const [key, slot] of this.#slotOf) yield [key, this.#slots[slot] as V];
  }
}
