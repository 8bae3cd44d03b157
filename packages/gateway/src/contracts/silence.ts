/** How long calls wait for a list that is known already, or that was waited for in vain before, in milliseconds. */
export const SHORT_WAIT_MS = 3_000;

/**
 * Whether a server leaves `tools/list` without an answer, in whatever session it was asked: each has a list of its
 * own, and would have its first calls wait as long as the ones before.
 */
export class ListSilence {
  #lasts = false;

  /** Whether a list was waited for in vain, and none has come since. */
  get lasts(): boolean {
    return this.#lasts;
  }

  /** A list could not be had, after so many milliseconds. */
  inVain(ms: number): void {
    if (ms >= SHORT_WAIT_MS) this.#lasts = true;
  }

  /** A list has come, whoever asked for it. */
  ends(): void {
    this.#lasts = false;
  }
}
