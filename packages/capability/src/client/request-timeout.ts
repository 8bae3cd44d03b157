import { shortMessageOf } from "../errors.ts";
import { ABORTED, withTimeLimit } from "../time-limit.ts";

/** How the request ended. */
export type RequestOutcome<T> =
  | { readonly status: "answered"; readonly value: T }
  | { readonly status: "timeout" | "failed"; readonly detail: string };

/**
 * Sends a request with a time limit. When the time is over, or the caller's signal aborts, aborts the request's
 * signal, so that the SDK tells the server. Never rejects.
 */
export async function requestWithTimeout<T>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  send: (options: { signal: AbortSignal; timeout: number }) => Promise<T>,
): Promise<RequestOutcome<T>> {
  const detail = `the server did not respond within ${milliseconds} ms`;
  // The SDK has a time limit of its own, which must not come first.
  const timeout = milliseconds + 1000;
  try {
    const task = (signal: AbortSignal) => send({ signal, timeout });
    const value = await withTimeLimit(milliseconds, outer, task, detail);
    if (value !== ABORTED) return { status: "answered", value };
    if (!outer?.aborted) return { status: "timeout", detail };
    return { status: "failed", detail: "canceled by the caller" };
  } catch (thrown) {
    return { status: "failed", detail: shortMessageOf(thrown) };
  }
}
