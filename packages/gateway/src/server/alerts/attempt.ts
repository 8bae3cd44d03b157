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

/**
 * Does work whose signal is aborted with `outer`, or with a `TimeoutError` after `ms` milliseconds. Nothing of it stays
 * with `outer`, which lives as long as the gateway.
 */
export async function within<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const stop = (): void => limit.abort(outer.reason);
  const late = (): void => limit.abort(new DOMException("The time is up.", "TimeoutError"));
  if (outer.aborted) stop();
  outer.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(late, ms);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", stop);
  }
}
