import type { ActivityError } from "@touchstone/records/errors";
import type { Logger } from "@touchstone/util";

/** How often to check if there are no requests, in milliseconds. */
export const WATCH_MS = 5_000;

/** Logs when kept records become unreadable, and when they are readable again. */
export class StoreWatch {
  readonly #fault: () => ActivityError | undefined;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #told = false;

  /** @param fault returns why the records cannot be read; never throws */
  constructor(fault: () => ActivityError | undefined, log: Logger) {
    this.#fault = fault;
    this.#log = log;
    this.#timer = setInterval(() => this.look(), WATCH_MS).unref();
  }

  /** Returns whether the records can be read. Never throws. */
  look(): boolean {
    const fault = this.#fault();
    const before = this.#told;
    this.#told = fault !== undefined;
    if (fault !== undefined && !before) {
      this.#log.error("records cannot be read", { reason: fault.message });
    }
    if (fault === undefined && before) this.#log.error("records can be read again");
    return fault === undefined;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
