import type { IncomingHttpHeaders } from "node:http";
import { messageOf } from "@touchstone/core/advanced";
import type { CutMessage } from "@touchstone/protocol/advanced";
import { codeOf } from "@touchstone/util";
import type { Dispatcher } from "undici";
import { BodyTooLargeError, CONTENT_CODINGS, decodedBody, unsupportedCharset } from "./body.ts";
import { type HeaderFields, mediaType } from "./headers.ts";
import { SseTooLargeError } from "./sse.ts";
import { IncomingBody, StreamBody, type UpstreamBody } from "./upstream-body.ts";

const NOTHING = (): void => {};

/** A response of an upstream. */
export interface UpstreamResponse {
  readonly statusCode: number;
  readonly headers: HeaderFields;
  readonly body: UpstreamBody;
}

/**
 * One request to an upstream, from sending to the end of its response, as undici reports it.
 */
export class UpstreamCall implements Dispatcher.DispatchHandler {
  /** Resolves with the head of the response; rejects if there is none. */
  readonly answer: Promise<UpstreamResponse>;
  #resolve: (response: UpstreamResponse) => void = NOTHING;
  #reject: (error: Error) => void = NOTHING;
  #controller: Dispatcher.DispatchController | undefined;
  #body: IncomingBody | undefined;
  #over = false;
  #aborted = false;
  #whenOver: () => void = NOTHING;
  #next: UpstreamCall | undefined;

  constructor() {
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** A call that a signal ends. */
  static until(signal: AbortSignal): UpstreamCall {
    const call = new UpstreamCall();
    const abort = (): void => call.abort();
    call.#whenOver = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    return call;
  }

  /** Whether it was aborted before its response arrived. */
  get aborted(): boolean {
    return this.#aborted;
  }

  /** Another call instead of this one, aborted together with it. */
  next(): UpstreamCall {
    const next = new UpstreamCall();
    next.#whenOver = this.#whenOver;
    this.#whenOver = NOTHING;
    this.#next = next;
    if (this.#aborted) next.abort();
    return next;
  }

  /** Aborts it, and its connection. Does nothing after the response has arrived. */
  abort(): void {
    this.#next?.abort();
    if (this.#over || this.#aborted) return;
    this.#aborted = true;
    // A call without a connection is aborted when it gets one.
    this.#controller?.abort(abortError());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(abortError());
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: HeaderFields,
  ): void {
    // An informational response precedes the final one (RFC 9110, section 15.2).
    if (statusCode < 200) return;
    this.#body = new IncomingBody(controller);
    this.#resolve({ statusCode, headers, body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#body?.take(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish();
    this.#body?.fail(this.#aborted || error instanceof UpstreamError ? error : brokenOff(error));
    this.#reject(error);
  }

  #finish(): void {
    this.#over = true;
    this.#whenOver();
  }
}

function brokenOff(cause: Error): Error {
  return new UpstreamError(`the server's response broke off: ${cause.message}`, { cause });
}

function abortError(): Error {
  return new Error("the request was given up");
}

export type UpstreamHeaders = Record<string, string | string[]>;

export interface UpstreamRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: UpstreamHeaders;
  readonly body?: Uint8Array | undefined;
}

/** What requests need to reach an upstream. */
export interface UpstreamRequestOptions {
  /** Headers that replace a client's. */
  headers(client: IncomingHttpHeaders): UpstreamHeaders;
  /**
   * Sends a request, and follows redirects within its own origin. The response's body has no content coding.
   * @param call lets the caller abort the request
   * @throws UpstreamError
   */
  send(request: UpstreamRequest, call: UpstreamCall): Promise<UpstreamResponse>;
}

/** The media types that clients read messages from. */
const MESSAGES: ReadonlySet<string> = new Set(["application/json", "text/event-stream"]);

/**
 * Returns a response whose body has no content coding. Compression was not requested; if the upstream compresses
 * anyway, that must not hide the content from checks.
 * @throws UnreadableResponseError if its coding or charset is not supported
 */
export function requirePlainBody(response: UpstreamResponse): UpstreamResponse {
  const { statusCode, headers } = response;
  const { "content-encoding": coding } = headers;
  const type = headers["content-type"];
  const charset = unsupportedCharset(type);
  // A body that is not a message is forwarded unchanged: an error page, or the empty body of an acknowledgement.
  if (charset !== undefined && MESSAGES.has(mediaType(type))) {
    response.body.discard();
    throw new UnreadableResponseError(
      `the server's response is in the charset "${charset}"; JSON is UTF-8`,
    );
  }
  if (coding === undefined) return response;
  const coded = response.body.stream();
  const body = decodedBody(coded, String(coding));
  if (body === undefined) {
    coded.destroy();
    throw new UnreadableResponseError(
      `the server's response has the content encoding "${coding}", which cannot be decoded; known are ${CONTENT_CODINGS.join(", ")}`,
    );
  }
  const { "content-encoding": _taken, ...rest } = headers;
  const kept = body === coded ? headers : rest;
  return { statusCode, headers: kept, body: new StreamBody(body) };
}

const EMPTY = new Uint8Array(0);

/** The upstream was unreachable, or its response broke HTTP. */
export class UpstreamError extends Error {
  override readonly name: string = "UpstreamError";
}

/** The upstream responded, but no message can be read from the response. */
export class UnreadableResponseError extends UpstreamError {}

/** The server refused a request for credentials that no client can give it through the gateway. */
export class CredentialsError extends UpstreamError {}

/** Why no upstream response can be forwarded. */
export interface UpstreamFailure {
  /** One line for people. */
  readonly reason: string;
  /**
   * A body or event that exceeded its limit: its size as far as it was read. Its HTTP exchange knows which requests
   * it answers.
   */
  readonly cut?: CutMessage;
  /** A response arrived but cannot be read. */
  readonly unreadable?: boolean;
  /** The server requires credentials that no client can give it. */
  readonly needsCredentials?: boolean;
}

/** zlib's error codes for data that are not in the declared coding. */
const CODING = /^(Z_|ERR__|ERR_BROTLI|ZSTD_)/;

function isCodingError(error: unknown): boolean {
  return CODING.test(codeOf(error));
}

/** Returns the meaning of an error that occurred while a response was awaited or read. */
export function failureOf(error: unknown): UpstreamFailure {
  const reason = messageOf(error);
  if (error instanceof UnreadableResponseError) return { reason, unreadable: true };
  if (isCodingError(error)) {
    const text = `the server's response is not in the content encoding that it names: ${reason}`;
    return { reason: text, unreadable: true };
  }
  if (error instanceof CredentialsError) return { reason, needsCredentials: true };
  const tooLarge = error instanceof BodyTooLargeError || error instanceof SseTooLargeError;
  return tooLarge ? { reason, cut: { head: EMPTY, tail: EMPTY, size: error.size } } : { reason };
}
