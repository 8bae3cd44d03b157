import type { ServerResponse } from "node:http";

/** The responses that may have no end of their own: streams of events, subscriptions, long downloads. */
export class OpenStreams {
  readonly #open: Set<ServerResponse> = new Set();

  /** Takes note of a response until it is over. */
  add(response: ServerResponse): void {
    if (response.closed) return;
    this.#open.add(response);
    response.on("close", () => this.#open.delete(response));
  }

  /** Breaks off those that have begun; their clients may ask for them again. */
  end(): void {
    for (const response of [...this.#open]) if (response.headersSent) response.destroy();
  }
}
