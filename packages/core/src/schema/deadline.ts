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

/** What judging a value may take, beside reading its text. */
const CHECK_MS = 40;
/** Reading takes a millisecond for so many bytes; judging may take as long again. */
const BYTES_PER_MS = 131_072;

/** How long judging a value of so many bytes of JSON text may take, in milliseconds. */
export function checkTime(bytes: number): number {
  return CHECK_MS + Math.floor(bytes / BYTES_PER_MS);
}
