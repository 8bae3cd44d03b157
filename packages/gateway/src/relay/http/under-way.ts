import type { IncomingMessage, ServerResponse } from "node:http";
import { headerOf } from "./endpoint.ts";

/** The requests that are being answered; a subscription, which never is, does not count. */
export class UnderWay {
  readonly #answers: Set<Promise<void>> = new Set();

  get size(): number {
    return this.#answers.size;
  }

  /** Takes note of a request until its response is over. */
  add(request: IncomingMessage, response: ServerResponse): void {
    if (headerOf(request, "mcp-method") === "subscriptions/listen") return;
    const answered = endOf(response);
    this.#answers.add(answered);
    void answered.then(() => this.#answers.delete(answered));
  }

  /** Resolves when nothing is being answered any more, or the signal is aborted. */
  async settled(signal: AbortSignal): Promise<void> {
    const given = abortOf(signal);
    while (this.#answers.size > 0 && !signal.aborted) {
      await Promise.race([Promise.all(this.#answers), given]);
    }
  }
}

/** Resolves when a response has been sent to its end, or cannot be any more. */
function endOf(response: ServerResponse): Promise<void> {
  if (response.closed) return Promise.resolve();
  return new Promise((resolve) => response.once("close", () => resolve()));
}

/** Resolves when a signal is aborted. */
export function abortOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
