import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Frame, readFrame } from "@touchstone/protocol";
import type { ExactCalls } from "./exact-call.ts";
import { exactFetch } from "./exact-fetch.ts";
import { unreadableAnswer } from "./unreadable-answer.ts";

export interface HttpTransportOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** The calls whose arguments and results pass as they were written. */
  readonly exact: ExactCalls;
}

/** The MCP SDK's transport to a server behind a URL, which has every message at hand as it came. */
export class HttpTransport extends StreamableHTTPClientTransport {
  #fault: Error | undefined;

  constructor(url: URL, { headers, fetch: inner, exact }: HttpTransportOptions) {
    const watch = { take: (_: Uint8Array): void => {} };
    super(url, {
      requestInit: { headers: { ...headers } },
      fetch: exactFetch(inner, exact, (message) => watch.take(message)),
    });
    watch.take = (message) => this.#look(readFrame(message));
  }

  /** Why the connection was closed: an answer that is no JSON, which the SDK passes over. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  #look(frame: Frame): void {
    const fault = unreadableAnswer(frame);
    if (fault === undefined) return;
    this.#fault ??= fault;
    void this.close().catch(() => {});
  }
}
