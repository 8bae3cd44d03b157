/** The result that the destination reported: the HTTP status of a receiver, or the exit code of a command. */
export interface Ending {
  readonly status?: number;
  readonly exitCode?: number;
}

/** How one attempt to deliver ended. */
export type DeliveryAttempt =
  | ({ readonly sent: true } & Ending)
  | ({
      readonly sent: false;
      readonly reason: string;
      /** Whether another attempt may end differently. */
      readonly again: boolean;
      /** How long the receiver asks to wait, in milliseconds. */
      readonly afterMs?: number;
    } & Ending);

/** Returns a failure that is not retried. */
export function failedAttempt(reason: string, ending: Ending = {}): DeliveryAttempt {
  return { sent: false, reason, again: false, ...ending };
}
