import type { IncomingHttpHeaders } from "node:http";
import type { UpstreamCall, UpstreamResponse } from "./upstream-call.ts";

export type UpstreamHeaders = Record<string, string | string[]>;

export interface UpstreamRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: UpstreamHeaders;
  readonly body?: Uint8Array | undefined;
}

/** What requests go to an upstream by. */
export interface Sender {
  /** The headers to send in the place of a client's. */
  headers(client: IncomingHttpHeaders): UpstreamHeaders;
  /**
   * Sends a request, and sends it on where the server redirects it within its own origin. Its
   * answer's body is free of any content coding.
   * @param call through which it can be given up
   * @throws UpstreamError
   */
  send(request: UpstreamRequest, call: UpstreamCall): Promise<UpstreamResponse>;
}
