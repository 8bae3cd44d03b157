/** A sequence of numbers from 0 to 1 that a seed determines (mulberry32), and random choices made with it. */
export class Random {
  #state;

  /** @param {number} seed a whole number */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from `least` to `most`, both included. */
  whole(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick(list) {
    return list[this.whole(0, list.length - 1)];
  }

  /** Returns one of the items; its chance depends on its `weight`. */
  weighted(list) {
    const all = list.reduce((sum, { weight }) => sum + weight, 0);
    let at = this.next() * all;
    for (const one of list) {
      at -= one.weight;
      if (at < 0) return one;
    }
    return list.at(-1);
  }
}
