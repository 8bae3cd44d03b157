import { redactText, visible } from "@touchstone/util";
import type { AlertOutcome } from "../../insight/telemetry/telemetry.ts";
import type { Delivery } from "../api/operator-schemas.ts";
import type { DeliveryAttempt } from "./attempt.ts";

/** Length of a shown reason, in UTF-16 code units. */
const MAX_REASON = 500;

/** How a rule's alerts ended. */
export interface DeliveryCounts extends Readonly<Record<AlertOutcome, number>> {
  /** The last alert that ended, including tests. */
  readonly last: Delivery | null;
  /** The last alert that failed. */
  readonly lastFailure: Delivery | null;
}

/** An attempt, and how long it took. */
export interface Timed {
  readonly attempt: DeliveryAttempt;
  readonly durationMs: number;
}

/**
 * Returns how an attempt ended, for people. The reason contains neither secrets nor characters that hide or move
 * text.
 */
export function deliveryOf({ attempt, durationMs }: Timed, at: Date, test: boolean): Delivery {
  const { status, exitCode } = attempt;
  return {
    time: at.toISOString(),
    sent: attempt.sent,
    test,
    durationMs,
    ...(status === undefined ? {} : { status }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(attempt.sent ? {} : { reason: visible(redactText(attempt.reason).text, MAX_REASON) }),
  };
}

/** Counts how a rule's alerts ended, and keeps the results of the last ones. */
export class Deliveries {
  readonly #counts: Record<AlertOutcome, number> = {
    sent: 0,
    failed: 0,
    dropped: 0,
    suppressed: 0,
  };
  #last: Delivery | null = null;
  #lastFailure: Delivery | null = null;

  count(outcome: AlertOutcome): void {
    this.#counts[outcome] += 1;
  }

  /** Notes how an alert or a test ended. */
  ended(delivery: Delivery): void {
    this.#last = delivery;
    if (!delivery.sent) this.#lastFailure = delivery;
  }

  get counts(): DeliveryCounts {
    return { ...this.#counts, last: this.#last, lastFailure: this.#lastFailure };
  }
}
