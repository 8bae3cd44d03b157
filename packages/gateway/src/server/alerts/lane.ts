import type { Attempt } from "./attempt.ts";

/** How many alerts may wait for one destination. */
export const MAX_WAITING = 100;
/** How long to wait before each further attempt. */
const WAITS_MS: readonly number[] = [1_000, 4_000, 16_000, 60_000];

/** One alert to send. */
export interface Job {
  /** Tries once. Never rejects. */
  attempt(): Promise<Attempt>;
  /** Called with the result of the last attempt. */
  ended(last: Attempt): void;
}

/** Waits for `ms` milliseconds, or until the signal is aborted. Never rejects. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** Alerts to one destination, delivered one after the other, each in five attempts at most. */
export class Lane {
  readonly #pause: Pause;
  readonly #hurry: AbortSignal;
  readonly #waiting: Job[] = [];
  #running: Promise<void> | undefined;

  /** @param hurry when aborted, there are no further attempts */
  constructor(pause: Pause, hurry: AbortSignal) {
    this.#pause = pause;
    this.#hurry = hurry;
  }

  /** Whether too many alerts wait. */
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
    // Checked at once: in a later callback an alert that was added before would be missed.
    this.#running = undefined;
  }

  async #deliver(job: Job): Promise<Attempt> {
    let last = await job.attempt();
    for (const wait of WAITS_MS) {
      if (last.sent || !last.again || this.#hurry.aborted) break;
      // Random, so that gateways that fail together do not retry together.
      const spread = wait * (0.75 + Math.random() / 2);
      await this.#pause(Math.max(spread, last.afterMs ?? 0), this.#hurry);
      last = await job.attempt();
    }
    return last;
  }
}
