const FIRST_ROOM = 16;
const GROWTH = 1.5;

/** A list of unsigned 32-bit integers that takes four bytes for each, where an array may take sixteen. */
export class Uint32List {
  #items: Uint32Array<ArrayBuffer> = new Uint32Array(FIRST_ROOM);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    return this.#items[index] as number;
  }

  set(index: number, item: number): void {
    this.#items[index] = item;
  }

  push(item: number): void {
    if (this.#length === this.#items.length) {
      const items = new Uint32Array(Math.ceil(this.#length * GROWTH));
      items.set(this.#items);
      this.#items = items;
    }
    this.#items[this.#length] = item;
    this.#length += 1;
  }

  /** Drops the items from `length` on. */
  cut(length: number): void {
    this.#length = length;
  }
}
