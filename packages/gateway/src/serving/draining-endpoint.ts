import type { IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../relay/http/endpoint.ts";

/** An endpoint that can be taken out of service: what it has begun to answer, it answers. */
export class DrainingEndpoint implements Endpoint {
  readonly #endpoint: Endpoint;
  readonly #posts: Set<Promise<void>> = new Set();

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  async post(request: IncomingMessage, response: ServerResponse, body: Uint8Array): Promise<void> {
    const answered = this.#endpoint.post(request, response, body);
    const settled = answered.then(
      () => {},
      () => {},
    );
    this.#posts.add(settled);
    try {
      await answered;
    } finally {
      this.#posts.delete(settled);
    }
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

  /** Waits for the answers that are under way, at most so many milliseconds, then closes. */
  async drain(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
      timer.unref();
    });
    await Promise.race([Promise.all(this.#posts), timeout]);
    clearTimeout(timer);
    await this.#endpoint.close();
  }
}
