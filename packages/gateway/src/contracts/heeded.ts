/** A list that others say has changed is asked for again this often at most, in milliseconds. */
const HEED_MS = 10_000;

/** Heeds what others, who share the store, tell of a list's changes; of many in a short time the first and the last. */
export class HeededNotices {
  readonly #told: () => number;
  #heeded: number;
  #nextAt = 0;

  /** @param told how often they have told so far */
  constructor(told: () => number = () => 0) {
    this.#told = told;
    this.#heeded = told();
  }

  /** Whether they have told of a change, and it is time to heed it, which this is. */
  heed(now: number): boolean {
    const told = this.#told();
    // A server that gives each gateway another list must not make every call ask for it.
    if (told === this.#heeded || now < this.#nextAt) return false;
    this.#heeded = told;
    this.#nextAt = now + HEED_MS;
    return true;
  }
}
