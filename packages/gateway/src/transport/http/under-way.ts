import type { IncomingMessage, ServerResponse } from "node:http";
import { aborted } from "../aborted.ts";
import { headerOf } from "./endpoint.ts";

/**
 * The requests that are being answered; a subscription, which never is, does not count. A listener counts
 * those that came to it, and a server those that are its own: each may leave while the other goes on.
 */
export class UnderWay {
  #size = 0;
  /** Told when nothing is being answered any more. */
  #waiting: (() => void)[] = [];

  get size(): number {
    return this.#size;
  }

  /** Takes note of a request until its response is over. @returns false where it is a subscription */
  add(request: IncomingMessage, response: ServerResponse): boolean {
    if (headerOf(request, "mcp-method") === "subscriptions/listen") return false;
    if (response.closed) return true;
    this.#size += 1;
    // It has been sent to its end, or cannot be any more. That comes once, and `once` costs more.
    response.on("close", () => this.#answered());
    return true;
  }

  /** Resolves when nothing is being answered any more, or the signal is aborted. */
  async settled(signal: AbortSignal): Promise<void> {
    const given = aborted(signal);
    while (this.#size > 0 && !signal.aborted) {
      const none = new Promise<void>((resolve) => this.#waiting.push(resolve));
      await Promise.race([none, given]);
    }
  }

  #answered(): void {
    this.#size -= 1;
    if (this.#size > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
