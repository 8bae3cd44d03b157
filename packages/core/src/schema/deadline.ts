/** The time for a task ran out before it had a result. */
export class DeadlineError extends Error {
  override readonly name: string = "DeadlineError";
  /** How long the task was given. */
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    super(`no result within ${milliseconds} ms`);
    this.milliseconds = milliseconds;
  }
}

/**
 * Runs synchronous tasks that cannot be trusted to end. What a runtime has for this differs, so it
 * is handed in; without one, only the step budget bounds a check.
 */
export interface Deadline {
  /**
   * Gives the task's result, or throws what it throws. A task that was held up by others may be begun again,
   * and so must not leave anything behind that it would stumble over.
   * @throws DeadlineError when the task has no result after `milliseconds`
   */
  run<T>(milliseconds: number, task: () => T): T;
}

/** The time for a check of the smallest value. */
const CHECK_MS = 40;
/**
 * One more millisecond for this many bytes. Ordinary schemas (`uniqueItems` on objects, `propertyNames`,
 * `oneOf` of objects) take up to a third of that: the clock ends what would not end, and must not decide about
 * values within the limits.
 */
const BYTES_PER_MS = 1_024;

/** Returns how long the check of a value may take, in milliseconds, by the bytes of its JSON text. */
export function checkTime(bytes: number): number {
  return CHECK_MS + Math.floor(bytes / BYTES_PER_MS);
}
