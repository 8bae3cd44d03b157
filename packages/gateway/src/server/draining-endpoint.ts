import { type CutMessage, readFrame } from "@touchstone/protocol/advanced";
import type { Endpoint, PostRequest } from "../relay/http/endpoint.ts";
import { type HttpRequest, type HttpResponse, headerOf } from "../transport/http/http-message.ts";
import { OpenRequests } from "../transport/http/open-requests.ts";
import { expectsNoResponse } from "./mcp-routes.ts";

/** How a gateway ends. */
export interface CloseOptions {
  /** How long open requests may take, in milliseconds. Default: 0. */
  readonly graceMs?: number;
  /** When aborted, the gateway no longer waits for open requests. */
  readonly hurry?: AbortSignal;
}

/** An endpoint that can be taken out of service: it still finishes the requests that it has begun. */
export class DrainingEndpoint implements Endpoint {
  readonly #endpoint: Endpoint;
  readonly #posts: OpenRequests = new OpenRequests();
  #before: DrainingEndpoint | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  get sessions(): number {
    return this.#endpoint.sessions;
  }

  /** The number of open POSTs, without subscriptions, which never end. */
  get underWay(): number {
    return this.#posts.size;
  }

  has(session: string): boolean {
    return this.#endpoint.has(session) || this.#before?.has(session) === true;
  }

  /**
   * Replaces an endpoint. Messages on its sessions still go to it: its server may need them to respond.
   * @param left resolves when the replaced endpoint is gone
   */
  follow(before: DrainingEndpoint, left: Promise<void>): void {
    this.#before = before;
    void left.then(() => {
      if (this.#before === before) this.#before = undefined;
    });
  }

  async post(request: PostRequest, response: HttpResponse, body: Uint8Array): Promise<void> {
    const session = headerOf(request, "mcp-session-id");
    if (session !== undefined && this.#before?.has(session) && expectsNoResponse(readFrame(body))) {
      await this.#before.post(request, response, body);
      return;
    }
    this.#posts.add(request, response);
    await this.#endpoint.post(request, response, body);
  }

  async refuse(
    request: HttpRequest,
    response: HttpResponse,
    cut: CutMessage,
    limit: number,
  ): Promise<void> {
    this.#posts.add(request, response);
    await this.#endpoint.refuse(request, response, cut, limit);
  }

  get(request: HttpRequest, response: HttpResponse): Promise<void> {
    return this.#endpoint.get(request, response);
  }

  delete(request: HttpRequest, response: HttpResponse): Promise<void> {
    return this.#endpoint.delete(request, response);
  }

  spare(): void {
    this.#endpoint.spare();
  }

  rest(): Promise<void> {
    return this.#endpoint.rest();
  }

  close(): Promise<void> {
    return this.#endpoint.close();
  }

  /** Resolves when there are no open requests anymore, or the signal is aborted. */
  settled(signal: AbortSignal): Promise<void> {
    return this.#posts.settled(signal);
  }

  /** Waits for open requests, until the signal is aborted, then closes. */
  async drain(signal: AbortSignal): Promise<void> {
    await this.settled(signal);
    await this.#endpoint.close();
  }
}
