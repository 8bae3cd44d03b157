import { type Author, authorText, reasonField } from "@touchstone/records/plain";
import type { Logger } from "@touchstone/util";
import { AdminError } from "../admin/errors.ts";
import type { Delivery, ShownAlert } from "../api/operator-schemas.ts";
import type { Alerts } from "./alerts.ts";

/** How many tests an operator may send within {@link WINDOW_MS}, to all destinations together. */
export const MOST_TESTS = 6;
const WINDOW_MS = 60_000;

/** Lists the configured alerts, and sends tests. */
export class AlertsApi {
  readonly #alerts: Alerts;
  readonly #log: Logger;
  readonly #now: () => number;
  /** When the last tests began. */
  #tests: readonly number[] = [];

  /** @param now a monotonic clock, in milliseconds */
  constructor(alerts: Alerts, log: Logger, now: () => number = () => performance.now()) {
    this.#alerts = alerts;
    this.#log = log;
    this.#now = now;
  }

  /** Returns the entries of `alerts`, without their secrets. */
  list(): readonly ShownAlert[] {
    return this.#alerts.shown();
  }

  /**
   * Sends a test of an entry to its destination, once.
   * @throws {AdminError} `NOT_FOUND`, or `TOO_MANY_TESTS` after six tests within a minute
   */
  async test(id: string, author: Author): Promise<Delivery> {
    const place = this.#alerts.placeOf(id);
    if (place === undefined) {
      const message =
        "No alert has this id. The configuration may have changed: load the list again.";
      throw new AdminError("NOT_FOUND", message);
    }
    this.#pace();
    const delivery = (await this.#alerts.test(id)) as Delivery;
    const { sent, reason } = delivery;
    const fields = { by: authorText(author), ...reasonField(author) };
    const end = sent ? "sent" : `not sent: ${reason}`;
    this.#log.info(`a test of the alert ${place} was ${end}`, fields);
    return delivery;
  }

  #pace(): void {
    const now = this.#now();
    this.#tests = this.#tests.filter((at) => now - at < WINDOW_MS);
    const [first = now] = this.#tests;
    if (this.#tests.length >= MOST_TESTS) {
      const seconds = Math.ceil((first + WINDOW_MS - now) / 1_000);
      throw new AdminError(
        "TOO_MANY_TESTS",
        `${MOST_TESTS} tests were sent within a minute. Wait ${seconds} s.`,
        { headers: { "retry-after": `${seconds}` } },
      );
    }
    this.#tests = [...this.#tests, now];
  }
}
