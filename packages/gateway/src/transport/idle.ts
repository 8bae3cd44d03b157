/** A child process that nobody used for this long is ended, in milliseconds. */
export const IDLE_MS: number = 30 * 60_000;
/** How often that is looked at. */
export const SWEEP_MS = 60_000;
