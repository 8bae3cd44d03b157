import type { ServerOptions } from "node:http";

/** How long a client may take, in milliseconds. Answers and streams may take any time. */
export interface RequestTimes {
  /** From the connection, or the end of the answer before, to the end of a request's header. */
  readonly header: number;
  /** To the end of its body. */
  readonly request: number;
  /** Between two requests on one connection. */
  readonly idle: number;
  /** How often connections are looked at. */
  readonly check: number;
}

export const REQUEST_TIMES: RequestTimes = {
  header: 15_000,
  request: 60_000,
  idle: 5_000,
  check: 5_000,
};
/** Largest header of a request, in bytes. */
const MAX_HEADER_BYTES = 16_384;

/** The same for Node, with the bound on headers, of which none is left out where it comes twice. */
export function serverOptions({
  header,
  request,
  idle,
  check,
}: RequestTimes = REQUEST_TIMES): ServerOptions {
  return {
    headersTimeout: header,
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: check,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Of two, as Host, a proxy in front may have judged the one and Node would show the other.
    joinDuplicateHeaders: true,
  };
}
