const FIRST_CAPACITY = 1_024;

/** A list of numbers in eight bytes each: a capture has millions of offsets. */
export class NumberList {
  #values: Float64Array = new Float64Array(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const more = new Float64Array(2 * this.#values.length);
      more.set(this.#values);
      this.#values = more;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  at(index: number): number {
    return this.#values[index] ?? Number.NaN;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }
}
