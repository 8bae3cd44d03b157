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
   * Gives the task's result, or throws what it throws.
   * @throws DeadlineError when the task has no result after `milliseconds`
   */
  run<T>(milliseconds: number, task: () => T): T;
}
