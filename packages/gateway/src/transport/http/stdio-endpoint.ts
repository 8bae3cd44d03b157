import type { IncomingMessage, ServerResponse } from "node:http";
import { type CutMessage, singleLine } from "@touchstone/protocol";
import { isModern } from "../../pipeline/era.ts";
import type { ServerRuntime } from "../../server-runtime.ts";
import type { ChildOptions } from "../stdio/child.ts";
import { type Endpoint, headerOf, sendError } from "./endpoint.ts";
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

  constructor(runtime: ServerRuntime, child: ChildOptions, maxSessions: number) {
    this.#runtime = runtime;
    this.#sessions = new LegacySessions(runtime, child, maxSessions);
    this.#modern = new ModernRequests(runtime, child);
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  has(session: string): boolean {
    return this.#sessions.named(session) !== undefined;
  }

  async post(request: IncomingMessage, response: ServerResponse, body: Uint8Array): Promise<void> {
    const frame = this.#runtime.read(singleLine(body));
    // A body that is no JSON could hold line breaks, and each line would be a frame of its own.
    if (frame.scan.error !== undefined) {
      await this.#of(request).refuse(response, frame);
    } else if (frame.protocolVersion === undefined && !isModernRequest(request)) {
      await this.#sessions.post(request, response, frame);
    } else {
      await this.#modern.post(request, response, frame);
    }
  }

  async refuse(
    request: IncomingMessage,
    response: ServerResponse,
    cut: CutMessage,
    limit: number,
  ): Promise<void> {
    await this.#of(request).refuseTooLarge(response, cut, limit);
  }

  async get(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!refuseModern(request, response)) await this.#sessions.get(request, response);
  }

  async delete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!refuseModern(request, response)) await this.#sessions.delete(request, response);
  }

  async close(): Promise<void> {
    await Promise.all([this.#sessions.close(), this.#modern.close()]);
  }

  /** Who records what a request brought that cannot be read. */
  #of(request: IncomingMessage): LegacySession | ModernRequests {
    return this.#sessions.named(headerOf(request, "mcp-session-id")) ?? this.#modern;
  }
}

function isModernRequest(request: IncomingMessage): boolean {
  return isModern(headerOf(request, "mcp-protocol-version"));
}

/** 2026-07-28 has neither sessions nor a stream of their own for a server's messages. */
function refuseModern(request: IncomingMessage, response: ServerResponse): boolean {
  if (!isModernRequest(request)) return false;
  sendError(response, 405, "this revision has POST only", { headers: { allow: "POST" } });
  return true;
}
