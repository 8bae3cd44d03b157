import { untilAborted } from "@touchstone/util";
import { type HttpRequest, type HttpResponse, headerOf } from "./http-message.ts";

/**
 * Counts the requests that are being answered, without subscriptions, which never end. A listener counts the requests
 * that it received, and a server counts its own: each may stop while the other continues.
 */
export class OpenRequests {
  #size = 0;
  /** Called when no request is being answered anymore. */
  #waiting: (() => void)[] = [];

  get size(): number {
    return this.#size;
  }

  /** Counts a request until its response ends. @returns false if it is a subscription */
  add(request: HttpRequest, response: HttpResponse): boolean {
    if (headerOf(request, "mcp-method") === "subscriptions/listen") return false;
    if (response.closed) return true;
    this.#size += 1;
    // The response was sent, or can no longer be sent. The event is emitted once, and `once` costs more.
    response.on("close", () => this.#answered());
    return true;
  }

  /** Resolves when no request is being answered anymore, or the signal is aborted. */
  async settled(signal: AbortSignal): Promise<void> {
    const given = untilAborted(signal);
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
