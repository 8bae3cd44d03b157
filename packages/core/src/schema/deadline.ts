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

/** What a check may take, reading its text beside, and the least that judging it has of that. */
const CHECK_MS = 40;
const LEAST_CHECK_MS = 20;
/** What reading takes, at least: by length, so that the same text has the same time. */
const BYTES_PER_MS = 131_072;

/** How long judging a value of so many bytes of JSON text may take, in milliseconds. */
export function checkTime(bytes: number): number {
  return Math.max(LEAST_CHECK_MS, CHECK_MS - Math.floor(bytes / BYTES_PER_MS));
}
