import type { IncomingMessage, ServerResponse } from "node:http";
import { type Endpoint, headerOf } from "../relay/http/endpoint.ts";

/** How a gateway ends. */
export interface CloseOptions {
  /** How long requests that are under way may take, in milliseconds. Default 0. */
  readonly graceMs?: number;
  /** When aborted, they are not waited for any more. */
  readonly hurry?: AbortSignal;
}

/** An endpoint that can be taken out of service: what it has begun to answer, it answers. */
export class DrainingEndpoint implements Endpoint {
  readonly #endpoint: Endpoint;
  readonly #posts: Set<Promise<void>> = new Set();

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  get sessions(): number {
    return this.#endpoint.sessions;
  }

  /** How many POSTs are being answered; a subscription, which never is, does not count. */
  get underWay(): number {
    return this.#posts.size;
  }

  async post(request: IncomingMessage, response: ServerResponse, body: Uint8Array): Promise<void> {
    const answered = endOf(response);
    if (headerOf(request, "mcp-method") !== "subscriptions/listen") {
      this.#posts.add(answered);
      void answered.then(() => this.#posts.delete(answered));
    }
    await this.#endpoint.post(request, response, body);
  }

  get(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#endpoint.get(request, response);
  }

  delete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#endpoint.delete(request, response);
  }

  close(): Promise<void> {
    return this.#endpoint.close();
  }

  /** Resolves when nothing is being answered any more, or the signal is aborted. */
  async settled(signal: AbortSignal): Promise<void> {
    const given = abortOf(signal);
    while (this.#posts.size > 0 && !signal.aborted) {
      await Promise.race([Promise.all(this.#posts), given]);
    }
  }

  /** Waits for the answers that are under way, until the signal is aborted, then closes. */
  async drain(signal: AbortSignal): Promise<void> {
    await this.settled(signal);
    await this.#endpoint.close();
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
