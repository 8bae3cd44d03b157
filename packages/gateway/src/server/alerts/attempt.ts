/** How one attempt to deliver ended. */
export type Attempt =
  | { readonly sent: true }
  | {
      readonly sent: false;
      readonly reason: string;
      /** Whether another attempt may end differently. */
      readonly again: boolean;
      /** How long the receiver asks to wait, in milliseconds. */
      readonly afterMs?: number;
    };

/** Returns a failure that is not retried. */
export function failed(reason: string): Attempt {
  return { sent: false, reason, again: false };
}
