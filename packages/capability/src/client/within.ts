/// <reference types="node" />
import { shortMessageOf } from "../errors.ts";

/** How asking ended. */
export type Asked<T> =
  | { readonly status: "answered"; readonly value: T }
  | { readonly status: "timeout" | "failed"; readonly detail: string };

/**
 * Asks with a time limit. When it is over, or the caller's signal aborts, what was asked for is
 * given up: its signal aborts, so that the SDK tells the server. Never rejects.
 */
export async function within<T>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  ask: (options: { signal: AbortSignal; timeout: number }) => Promise<T>,
): Promise<Asked<T>> {
  const controller = new AbortController();
  const own = outer === undefined ? undefined : AbortSignal.any([outer]);
  return new Promise((resolve) => {
    const end = (asked: Asked<T>): void => {
      clearTimeout(timer);
      // A signal that is listened to lives as long as the one that it follows.
      own?.removeEventListener("abort", cancel);
      resolve(asked);
      if (asked.status !== "answered") controller.abort(asked.detail);
    };
    const cancel = (): void => end({ status: "failed", detail: "cancelled by the caller" });
    const late = `the server did not answer within ${milliseconds} ms`;
    const timer = setTimeout(() => end({ status: "timeout", detail: late }), milliseconds);
    if (outer?.aborted) return cancel();
    // Many requests may share the caller's signal: each listens to one of its own.
    own?.addEventListener("abort", cancel, { once: true });
    // The SDK has a time limit of its own, which must not come first.
    const options = { signal: controller.signal, timeout: milliseconds + 1000 };
    const failed = (thrown: unknown): void =>
      end({ status: "failed", detail: shortMessageOf(thrown) });
    try {
      ask(options).then((value) => end({ status: "answered", value }), failed);
    } catch (thrown) {
      failed(thrown);
    }
  });
}
