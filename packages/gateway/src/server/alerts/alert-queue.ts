import type { DeliveryAttempt } from "./attempt.ts";

/** How many alerts may wait for one destination. */
export const MAX_WAITING = 100;
/** How long to wait before each further attempt. */
const WAITS_MS: readonly number[] = [1_000, 4_000, 16_000, 60_000];

/** One alert to send. */
export interface AlertJob {
  /** Tries once. Never rejects. */
  attempt(): Promise<DeliveryAttempt>;
  /** Called with the result of the last attempt. */
  ended(last: DeliveryAttempt): void;
}

/** Waits for `ms` milliseconds, or until the signal is aborted. Never rejects. */
export type Delay = (ms: number, signal: AbortSignal) => Promise<void>;

/** Alerts to one destination, delivered one after the other, each in five attempts at most. */
export class AlertQueue {
  readonly #pause: Delay;
  readonly #hurry: AbortSignal;
  readonly #waiting: AlertJob[] = [];
  #running: Promise<void> | undefined;

  /** @param hurry when aborted, no further attempts are made */
  constructor(pause: Delay, hurry: AbortSignal) {
    this.#pause = pause;
    this.#hurry = hurry;
  }

  /** Whether too many alerts wait. */
  get full(): boolean {
    return this.#waiting.length >= MAX_WAITING;
  }

  /** How many alerts wait, including the one that is being sent. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Takes an alert, unless it is {@link full}. */
  add(job: AlertJob): void {
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
    // Cleared at once: if a later callback did this, an alert that was added before it would never be sent.
    this.#running = undefined;
  }

  async #deliver(job: AlertJob): Promise<DeliveryAttempt> {
    let last = await job.attempt();
    for (const wait of WAITS_MS) {
      if (last.sent || !last.again || this.#hurry.aborted) break;
      // Random, so that gateways that fail at the same time do not retry at the same time.
      const spread = wait * (0.75 + Math.random() / 2);
      await this.#pause(Math.max(spread, last.afterMs ?? 0), this.#hurry);
      last = await job.attempt();
    }
    return last;
  }
}
