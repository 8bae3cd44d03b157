import type { Attempt } from "./attempt.ts";

/** Alerts that may wait for one destination. */
export const MAX_WAITING = 100;
/** How long is waited before each further attempt. */
const WAITS_MS: readonly number[] = [1_000, 4_000, 16_000, 60_000];

/** One alert on its way. */
export interface Job {
  /** Tries once. Never rejects. */
  attempt(): Promise<Attempt>;
  /** Called with how the last attempt ended. */
  ended(last: Attempt): void;
}

/** Waits for `ms` milliseconds, or until the signal is aborted. Never rejects. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** Alerts to one destination, which are delivered one after the other, each in five attempts at most. */
export class Lane {
  readonly #pause: Pause;
  readonly #hurry: AbortSignal;
  readonly #waiting: Job[] = [];
  #running: Promise<void> | undefined;

  /** @param hurry when aborted, nothing waits for another attempt */
  constructor(pause: Pause, hurry: AbortSignal) {
    this.#pause = pause;
    this.#hurry = hurry;
  }

  /** Whether too many wait for one more. */
  get full(): boolean {
    return this.#waiting.length >= MAX_WAITING;
  }

  /** Whether nothing waits. */
  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Takes an alert, unless it is {@link full}. */
  add(job: Job): void {
    this.#waiting.push(job);
    this.#running ??= this.#run();
  }

  /** Resolves once nothing waits. Never rejects. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    for (let job = this.#waiting[0]; job !== undefined; job = this.#waiting[0]) {
      const last = await this.#deliver(job);
      this.#waiting.shift();
      job.ended(last);
    }
    // At once: in a later callback it would be too late for an alert that was added before.
    this.#running = undefined;
  }

  async #deliver(job: Job): Promise<Attempt> {
    let last = await job.attempt();
    for (const wait of WAITS_MS) {
      if (last.sent || !last.again || this.#hurry.aborted) break;
      // Gateways that fail together do not come back together.
      const spread = wait * (0.75 + Math.random() / 2);
      await this.#pause(Math.max(spread, last.afterMs ?? 0), this.#hurry);
      last = await job.attempt();
    }
    return last;
  }
}
