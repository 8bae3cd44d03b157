const FIRST_SLOTS = 2_048;
const EMPTY = -1;

/**
 * A map from keys of 64 bits to numbers from 0 on, in typed arrays: a third of the memory of a `Map` of strings. The keys
 * are parts of hashes, so they are spread evenly.
 */
export class KeyTable {
  #high: Uint32Array = new Uint32Array(FIRST_SLOTS);
  #low: Uint32Array = new Uint32Array(FIRST_SLOTS);
  #values: Int32Array = new Int32Array(FIRST_SLOTS).fill(EMPTY);
  #size = 0;

  /** @param key at least 8 bytes */
  get(key: Uint8Array): number | undefined {
    const value = this.#values[this.#slotOf(word(key, 0), word(key, 4))];
    return value === EMPTY ? undefined : value;
  }

  /** Adds a key that is not there. */
  add(key: Uint8Array, value: number): void {
    if (this.#size * 4 >= this.#values.length * 3) this.#grow();
    this.#put(word(key, 0), word(key, 4), value);
    this.#size += 1;
  }

  #put(high: number, low: number, value: number): void {
    const slot = this.#slotOf(high, low);
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#values[slot] = value;
  }

  /** Returns the slot with a key, or the empty one for it. */
  #slotOf(high: number, low: number): number {
    const mask = this.#values.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      if (this.#values[slot] === EMPTY) return slot;
      if (this.#low[slot] === low && this.#high[slot] === high) return slot;
    }
  }

  #grow(): void {
    const [highs, lows, values] = [this.#high, this.#low, this.#values];
    const slots = 2 * values.length;
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#values = new Int32Array(slots).fill(EMPTY);
    for (let slot = 0; slot < values.length; slot += 1) {
      const value = values[slot] ?? EMPTY;
      if (value !== EMPTY) this.#put(highs[slot] ?? 0, lows[slot] ?? 0, value);
    }
  }
}

function word(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
}
