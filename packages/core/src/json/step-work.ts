/** About how many bytes to look at in one step: well under a millisecond. */
const STEP_BYTES = 32_768;

/** Counts the bytes that some work has looked at, and says when its step ends. */
export class StepCounter {
  readonly #most: number;
  #left: number;

  /** @param most how many bytes a step looks at */
  constructor(most: number = STEP_BYTES) {
    this.#most = most;
    this.#left = most;
  }

  /** Counts bytes. Returns true if the step ends here; the next step then begins. */
  ends(bytes: number): boolean {
    this.#left -= bytes;
    if (this.#left > 0) return false;
    this.#left = this.#most;
    return true;
  }
}
