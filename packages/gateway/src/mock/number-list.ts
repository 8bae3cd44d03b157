const FIRST_CAPACITY = 1_024;
const GROWTH = 1.5;

type Numbers = Float64Array | Int32Array | Uint32Array | Uint8Array;

/** A list of numbers in a typed array: a capture has millions of places. */
export class NumberList {
  readonly #kind: new (
    length: number,
  ) => Numbers;
  #values: Numbers;
  #length = 0;

  /** @param kind the typed array */
  constructor(kind: new (length: number) => Numbers) {
    this.#kind = kind;
    this.#values = new kind(FIRST_CAPACITY);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const more = new this.#kind(Math.ceil(GROWTH * this.#values.length));
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
