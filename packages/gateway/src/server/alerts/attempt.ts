/** How one attempt to deliver ended. */
export type Attempt =
  | { readonly sent: true }
  | {
      readonly sent: false;
      readonly reason: string;
      /** Whether another attempt may end differently. */
      readonly again: boolean;
      /** How long the receiver asks to be left alone, in milliseconds. */
      readonly afterMs?: number;
    };

/** Returns a failure after which no further attempt is made. */
export function failed(reason: string): Attempt {
  return { sent: false, reason, again: false };
}
