import { DeadlineError } from "./deadline.ts";

/**
 * How often a check that is over its time is given more of it, and how much: V8 has compiled little of what
 * judges a schema before it has seen a large value.
 */
const PATIENCE = 2;
const PATIENT_TIMES = 3;
/** What of that comes back with each check in time. */
const RECOVERED = 0.001;

/** The time that one schema's checks get, which for a few of them is longer. */
export class Patience {
  readonly #within: <T>(milliseconds: number, task: () => T) => T;
  #left = PATIENCE;

  /** @param within gives a task's result, or throws a `DeadlineError` when its time is over */
  constructor(within: <T>(milliseconds: number, task: () => T) => T) {
    this.#within = within;
  }

  /**
   * Runs a task, once more with more time where it was late and there is patience left.
   * @param milliseconds what it may take
   * @param afterwards is done in what is left of its time, and may be cut off
   * @throws DeadlineError where the time runs out, and whatever the task throws
   */
  run<T>(milliseconds: number, task: () => T, afterwards: () => void): T {
    try {
      const result = this.#once(milliseconds, task, afterwards);
      this.#left = Math.min(PATIENCE, this.#left + RECOVERED);
      return result;
    } catch (thrown) {
      if (!(thrown instanceof DeadlineError) || this.#left < 1) throw thrown;
      this.#left -= 1;
      return this.#once(PATIENT_TIMES * milliseconds, task, afterwards);
    }
  }

  #once<T>(milliseconds: number, task: () => T, afterwards: () => void): T {
    let done: { readonly result: T } | undefined;
    try {
      this.#within(milliseconds, () => {
        done = { result: task() };
        afterwards();
      });
    } catch (thrown) {
      if (!(thrown instanceof DeadlineError) || done === undefined) throw thrown;
    }
    return (done as unknown as { readonly result: T }).result;
  }
}
