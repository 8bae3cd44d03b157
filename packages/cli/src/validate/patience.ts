import type { nodeDeadline } from "@touchstone/core/node";

type Deadline = typeof nodeDeadline;

/** How much longer the schema may take to be read than where others wait meanwhile. */
export const PATIENCE = 50;

/**
 * A deadline that is patient until the schema has been read: the command does nothing else, and a busy
 * machine, as in CI, is no reason to refuse a schema. The checks after that have what they have everywhere, so that
 * verdicts are the same.
 */
export class PatientDeadline implements Deadline {
  readonly #inner: Deadline;
  #patience = PATIENCE;

  constructor(inner: Deadline) {
    this.#inner = inner;
  }

  run<T>(milliseconds: number, task: () => T): T {
    return this.#inner.run(milliseconds * this.#patience, task);
  }

  /** The schema has been read. */
  settle(): void {
    this.#patience = 1;
  }
}
