import { type CutMessage, type Frame, singleLine } from "@touchstone/protocol/advanced";
import type { Era } from "../../eras/era.ts";
import { eraOf } from "../../eras/eras.ts";
import {
  type HttpRequest,
  type HttpResponse,
  headerOf,
} from "../../transport/http/http-message.ts";
import type { ChildOptions } from "../../transport/stdio/child.ts";
import type { ServerRuntime } from "../server-runtime.ts";
import { type Endpoint, type EraEndpoint, type PostRequest, waitForTurn } from "./endpoint.ts";
import type { LegacySession } from "./legacy-session.ts";
import { LegacySessions } from "./legacy-sessions.ts";
import { ModernRequests } from "./modern-requests.ts";

/**
 * A stdio server as a Streamable HTTP endpoint, in both eras: a child process for each session up to
 * 2025-11-25, and one for all requests from 2026-07-28 on.
 */
export class StdioEndpoint implements Endpoint {
  readonly #runtime: ServerRuntime;
  readonly #sessions: LegacySessions;
  readonly #modern: ModernRequests;
  readonly #eras: Readonly<Record<Era["name"], EraEndpoint>>;

  constructor(runtime: ServerRuntime, child: ChildOptions, maxSessions: number) {
    this.#runtime = runtime;
    this.#modern = new ModernRequests(runtime, child);
    this.#sessions = new LegacySessions(runtime, child, maxSessions, this.#modern.shared);
    this.#eras = { legacy: this.#sessions, modern: this.#modern };
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  has(session: string): boolean {
    return this.#sessions.has(session);
  }

  async post(request: PostRequest, response: HttpResponse, body: Uint8Array): Promise<void> {
    await waitForTurn(request, body, this.#runtime);
    const frame = this.#runtime.read(singleLine(body));
    // A body that is not JSON could contain line breaks, and each line would be a frame.
    if (frame.scan.error !== undefined) {
      await this.#of(request).refuse(request, response, frame);
      return;
    }
    await this.#served(request, frame).post(request, response, frame);
  }

  async refuse(
    request: HttpRequest,
    response: HttpResponse,
    cut: CutMessage,
    limit: number,
  ): Promise<void> {
    await this.#of(request).refuseTooLarge(request, response, cut, limit);
  }

  async get(request: HttpRequest, response: HttpResponse): Promise<void> {
    await this.#served(request).get(request, response);
  }

  async delete(request: HttpRequest, response: HttpResponse): Promise<void> {
    await this.#served(request).delete(request, response);
  }

  spare(): void {
    this.#modern.spare();
  }

  rest(): Promise<void> {
    return this.#modern.rest();
  }

  async close(): Promise<void> {
    await Promise.all([this.#sessions.close(), this.#modern.close()]);
  }

  /**
   * Returns who serves a request, by the revision of its header; but a message that names its own has no session.
   */
  #served(request: HttpRequest, frame?: Frame): EraEndpoint {
    if (frame?.protocolVersion !== undefined) return this.#modern;
    return this.#eras[eraOf(headerOf(request, "mcp-protocol-version")).name];
  }

  /** Returns who records an unreadable request. */
  #of(request: HttpRequest): LegacySession | ModernRequests {
    return this.#sessions.of(request) ?? this.#modern;
  }
}
