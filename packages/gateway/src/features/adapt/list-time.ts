import type { AdaptChange } from "@touchstone/protocol/lint";

/**
 * How long the processor works on the schemas of one list, in milliseconds, so that no client waits longer for it: some
 * give up after ten seconds.
 */
const MAX_LIST_MS = 3_000;

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Returns a clock for the work of one thread: between two readings it advances by the processor time of the process,
 * which includes other threads, but never by more than the time that has passed.
 */
function workClock(): () => number {
  let [processor, passed, worked] = [processorTime(), performance.now(), 0];
  return () => {
    const [used, now] = [processorTime(), performance.now()];
    worked += Math.min(used - processor, now - passed);
    [processor, passed] = [used, now];
    return worked;
  };
}

/**
 * The time that the rewrites of one list may take together. Only the time of the steps counts, and not the time that
 * they wait: a short list is rewritten even on a busy machine.
 */
export class ListTimeBudget {
  readonly #now: () => number;
  readonly #max: number;
  #taken = 0;
  /** Whether a schema was not rewritten because time ran out. */
  wasShort = false;

  constructor(max: number = MAX_LIST_MS, now: () => number = workClock()) {
    this.#max = max;
    this.#now = now;
  }

  get isUp(): boolean {
    return this.#taken >= this.#max;
  }

  /** How much was used, in milliseconds. */
  get taken(): number {
    return this.#taken;
  }

  /** How much is left, in milliseconds. */
  get left(): number {
    return Math.max(0, this.#max - this.#taken);
  }

  /** Runs steps as long as there is time; returns undefined if time runs out before they end. */
  *within<T>(steps: Generator<void, T, void>): Generator<void, T | undefined, void> {
    while (!this.isUp) {
      const began = this.#now();
      const step = steps.next();
      this.add(this.#now() - began);
      if (step.done === true) return step.value;
      yield;
    }
    return undefined;
  }

  /** Adds time that was used elsewhere. */
  add(ms: number): void {
    this.#taken += ms;
  }

  /** Uses up all the time that is left. */
  end(): void {
    this.add(this.left);
  }

  /** Returns the note for a tool whose schemas were neither rewritten nor checked for what clients refuse. */
  leftOver(): AdaptChange {
    this.wasShort = true;
    const message = `the schemas are not rewritten, and not checked for what clients refuse: the list has taken ${this.#max} ms; the work continues the next time it is listed`;
    return { keyword: "for", path: "", message, isLeft: true };
  }
}
