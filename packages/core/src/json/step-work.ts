/** About how many bytes to read in one step: this takes well under a millisecond. */
const STEP_BYTES = 32_768;

/** Counts the bytes that some work has read, and reports when its step ends. */
export class StepCounter {
  readonly #most: number;
  #left: number;

  /**
   * @param most how many bytes a step reads
   */
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
