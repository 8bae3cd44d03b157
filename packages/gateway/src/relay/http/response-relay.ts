import type { OutgoingHttpHeaders } from "node:http";
import { withoutByteOrderMark } from "@touchstone/core/advanced";
import { type CutMessage, ERROR_CODES, type Frame } from "@touchstone/protocol/advanced";
import { isStrayOutput } from "../../pipeline/broken.ts";
import { describeFaults } from "../../pipeline/faults.ts";
import type { Pipeline } from "../../pipeline/pipeline.ts";
import {
  type HeaderFields,
  mediaType,
  responseHeaders,
  SANDBOX_HEADERS,
} from "../../transport/http/headers.ts";
import type { HttpResponse } from "../../transport/http/http-message.ts";
import {
  hasJsonRpcResponse,
  joinAnswers,
  requestsOf,
  responsesIn,
  unexpectedIdsText,
} from "../../transport/http/messages.ts";
import { keepAlive, sendError, sendJson, waitForDrain } from "../../transport/http/responses.ts";
import { type SseEvent, SseSplitter, sseEvent } from "../../transport/http/sse.ts";
import {
  UnreadableResponseError,
  type UpstreamFailure,
  type UpstreamResponse,
} from "../../transport/http/upstream-call.ts";
import {
  acknowledgementFault,
  beginsConnection,
  bufferedResponse,
  describeRefusedOpening,
  describeWithHint,
  isHttpError,
  nameOneWayMessages,
} from "./client-answers.ts";
import {
  eventBytes,
  remainingEventBytes,
  skippedEventText,
  skippedRestText,
} from "./event-bytes.ts";

export interface ResponseRelayParts {
  readonly pipeline: Pipeline;
  /** The client's frame; undefined for a GET or DELETE. */
  readonly frame: Frame | undefined;
  readonly response: HttpResponse;
  /** The gateway's own responses to parts of a batch that were blocked. */
  readonly own: readonly Uint8Array[];
  readonly maxBytes: number;
  /** Whether a stream whose events have ids may be resumed, so that its responses may still come. */
  readonly resumable: boolean;
  /** Whether the response continues a stream that began earlier, possibly at another gateway. */
  readonly resumes: boolean;
  /** Called for each event with an id, before it is written. */
  readonly marked: (id: string) => void;
  /** Called if the server refused the request that begins a connection with an HTTP error. */
  readonly refusedOpening: (what: string) => void;
  /** Called for parts that are left out of a stream. */
  readonly leftOut: (what: string) => void;
  /** Sends a message to the server instead of the client's. */
  readonly tell: (frame: Uint8Array) => void;
}

/** How many ids of responses without a request to keep for messages. */
const MAX_OTHERS = 100;
const OLD_TRANSPORT =
  "the server speaks the old HTTP+SSE transport of 2024-11-05, which is not relayed; configure the URL of its Streamable HTTP endpoint";

/** Brings one HTTP response of an upstream to the client, checked on the way. */
export class ResponseRelay {
  readonly #parts: ResponseRelayParts;
  /** The ids, by key, of the requests that it can answer; undefined on a resumed stream, where they are unknown. */
  readonly #asked: readonly string[] | undefined;
  /** The gateway's own responses. */
  readonly #own: Uint8Array[];
  /** Whether the stream had an event with an id, after which a client can request the rest. */
  #marked = false;
  /** Whether other gateways know which requests the stream is about. */
  #announced = false;
  /** Ids of responses on the stream that belong to no request. */
  readonly #others: string[] = [];
  /** Whether the response is a stream that has begun. */
  #streams = false;
  /** Whether something of the stream, and so its headers, was written. */
  #begun = false;

  constructor(parts: ResponseRelayParts) {
    this.#parts = parts;
    const { frame, resumes } = parts;
    // A stream that no POST opened and that continues none carries no responses (MCP 2025-11-25, Transports).
    const requests = frame === undefined ? [] : requestsOf(frame);
    this.#asked = resumes ? undefined : requests.flatMap(({ idKey }) => idKey ?? []);
    this.#own = [...parts.own];
  }

  /**
   * Relays the response: a stream event by event, a body as a whole.
   * @throws Error if the upstream's response cannot be read or is not one; call {@link fail} then
   */
  async relay(answer: UpstreamResponse): Promise<void> {
    const headers = responseHeaders(answer.headers, this.#parts.response.getHeader("vary"));
    const type = mediaType(answer.headers["content-type"]);
    try {
      if (type === "text/event-stream") {
        if (await this.#refusesAcknowledgement(answer, undefined)) return;
        await this.#relayStream(answer, headers);
        return;
      }
      const body = await answer.body.whole(this.#parts.maxBytes);
      this.#reportRefusal(answer, body);
      if (await this.#refusesAcknowledgement(answer, body.length)) return;
      if (type === "application/json" && body.length > 0) {
        await this.#relayJson(answer.statusCode, headers, withoutByteOrderMark(body));
      } else if (answer.statusCode >= 300 && this.#holdsRpcAnswer(body)) {
        // Some clients treat it as the response because of its text, such as the TypeScript SDK of 2026-07-28.
        const given = { ...headers, ...SANDBOX_HEADERS };
        await this.#relayJson(answer.statusCode, given, withoutByteOrderMark(body));
      } else {
        await this.#relayOther(answer.statusCode, headers, body);
      }
    } finally {
      answer.body.discard();
    }
  }

  /** Sends messages of the gateway's own between those of a stream. Does nothing unless the response is a stream. */
  say(messages: readonly Uint8Array[]): void {
    if (!this.#streams) return;
    for (const message of messages) void this.#write(sseEvent(message));
  }

  /**
   * Responds to a call that the upstream did not answer in time. When every request is answered, closes the
   * connection, which tells the upstream.
   */
  async expire(answer: Uint8Array): Promise<void> {
    const { frame, response } = this.#parts;
    const single = frame?.kind !== "batch";
    if (response.headersSent) {
      await this.#write(sseEvent(answer));
      if (single) response.end();
      return;
    }
    this.#own.push(answer);
    if (frame === undefined || this.#own.length < requestsOf(frame).length) return;
    sendJson(response, 200, joinAnswers(this.#own, !single));
  }

  /** Responds instead of an upstream that failed. */
  async fail(failure: UpstreamFailure): Promise<void> {
    const { frame, response } = this.#parts;
    if (response.headersSent) {
      await this.#endStream(failure);
      return;
    }
    const { reason } = failure;
    if (await this.#refusesUnread(failure)) return;
    const answers = [...this.#own, ...(await settle(this.#parts, failure))];
    if (answers.length > 0) {
      // Some clients show the text only if their first request has this status.
      const isShown = failure.needsCredentials === true && beginsConnection(frame?.method);
      sendJson(response, isShown ? 200 : 502, joinAnswers(answers, frame?.kind === "batch"));
    } else {
      sendError(response, 502, `touchstone: ${reason}`, { code: ERROR_CODES.internalError });
    }
  }

  async #relayJson(status: number, headers: OutgoingHttpHeaders, body: Uint8Array): Promise<void> {
    const { pipeline, frame, response, resumes: resumed, tell } = this.#parts;
    const read = pipeline.read(body);
    const failed = status >= 400;
    if (failed ? !hasJsonRpcResponse(read) : this.#acknowledges(read)) {
      await this.#relayOther(status, headers, body);
      return;
    }
    if (frame !== undefined && !failed && requestsOf(frame).length > 0 && isStrayOutput(read)) {
      const what = describeFaults(read.faults);
      throw new UnreadableResponseError(
        `the server answered with HTTP status ${status} and something that is not a JSON-RPC message: ${what}`,
      );
    }
    const { onward, back = [] } = await pipeline.fromServer(read, {
      resumed,
      answers: this.#asked,
      refusal: failed,
    });
    for (const message of back) tell(message);
    const rest = await settle(this.#parts, { reason: this.#unanswered(status, read) });
    // An error without an id, as servers send it with a 4xx status, answers the whole POST.
    const theirs = onward === undefined ? [] : [onward];
    const kept = failed || rest.length === 0 || read.kind === "batch" ? theirs : [];
    const answers = [...this.#own, ...kept, ...(failed && kept.length > 0 ? [] : rest)];
    // All requests were given up meanwhile.
    if (response.headersSent) return;
    if (answers.length === 0) response.writeHead(202).end();
    else sendJson(response, status, joinAnswers(answers, frame?.kind === "batch"), headers);
  }

  /** Reports that the server refused the request that begins a connection, if it says so outside JSON-RPC. */
  #reportRefusal(answer: UpstreamResponse, body: Uint8Array): void {
    const { frame, refusedOpening } = this.#parts;
    if (answer.statusCode < 400 || !beginsConnection(frame?.method)) return;
    const plain = bufferedResponse(answer, body);
    if (isHttpError(plain)) refusedOpening(describeRefusedOpening(plain));
  }

  /**
   * Records the response to a POST without requests if it is not 202 without a body. If the policy blocks it, responds
   * with that instead: some clients end the session on any other (MCP, Transports, Sending Messages to the Server).
   */
  async #refusesAcknowledgement(
    answer: UpstreamResponse,
    bytes: number | undefined,
  ): Promise<boolean> {
    const { frame, pipeline, response } = this.#parts;
    if (frame === undefined || requestsOf(frame).length > 0) return false;
    const fault = acknowledgementFault(answer, bytes, nameOneWayMessages(frame));
    if (fault === undefined || !(await pipeline.acknowledgement(fault))) return false;
    if (!response.headersSent) response.writeHead(202).end();
    return true;
  }

  /** Does the same for a body that cannot be read. */
  async #refusesUnread({ reason, cut, unreadable }: UpstreamFailure): Promise<boolean> {
    const { frame, pipeline, response } = this.#parts;
    if (frame === undefined || requestsOf(frame).length > 0) return false;
    if (cut === undefined && unreadable !== true) return false;
    if (!(await pipeline.acknowledgement(reason))) return false;
    response.writeHead(202).end();
    return true;
  }

  /** Returns why requests have no response in the received message. */
  #unanswered(status: number, read: Frame): string {
    const others = this.#otherIds(read);
    return others.length > 0
      ? `the server sent (HTTP status ${status}) a ${unexpectedIdsText(others)}`
      : `the server's response (HTTP status ${status}) was to no request`;
  }

  /** Returns the ids of responses in a frame that belong to no request. */
  #otherIds(read: Frame): string[] {
    const asked = new Set(this.#asked);
    return responsesIn(read)
      .filter(({ idKey = "" }) => !asked.has(idKey))
      .map(({ id = "(none)" }) => id);
  }

  #holdsRpcAnswer(body: Uint8Array): boolean {
    return (
      body.length > 0 && hasJsonRpcResponse(this.#parts.pipeline.read(withoutByteOrderMark(body)))
    );
  }

  /** Returns whether the JSON response to a message without a response is not a message, such as `{"ok":true}`. */
  #acknowledges(read: Frame): boolean {
    const { frame } = this.#parts;
    const asks = frame !== undefined && requestsOf(frame).length > 0;
    return !asks && read.scan.error === undefined && isStrayOutput(read);
  }

  /** Forwards a body without a message, of an error or an acknowledgement, as it came. */
  async #relayOther(status: number, headers: OutgoingHttpHeaders, body: Uint8Array): Promise<void> {
    const { response, frame } = this.#parts;
    const requests = frame === undefined ? [] : requestsOf(frame);
    // A body that a client might take for a response must not pass unread.
    if (status < 300 && requests.length > 0 && this.#own.length < requests.length) {
      const came = bufferedResponse({ statusCode: status, headers: headers as HeaderFields }, body);
      const isRefused = beginsConnection(frame?.method);
      throw new UnreadableResponseError(
        isRefused ? describeRefusedOpening(came) : describeWithHint(came),
      );
    }
    const rest = await settle(this.#parts, {
      reason: `the server answered with HTTP status ${status}`,
    });
    if (this.#own.length > 0 && !response.headersSent) {
      sendJson(response, 200, joinAnswers([...this.#own, ...rest], frame?.kind === "batch"));
      return;
    }
    if (response.headersSent || response.destroyed) return;
    // A length on an empty response would do no harm, but 202 and 204 are sent without one.
    const length = body.length > 0 ? { "content-length": body.length } : {};
    response.writeHead(status, { ...headers, ...SANDBOX_HEADERS, ...length });
    response.end(body);
  }

  async #relayStream(answer: UpstreamResponse, headers: OutgoingHttpHeaders): Promise<void> {
    const { response, maxBytes } = this.#parts;
    if (response.destroyed || response.headersSent) return;
    response.writeHead(answer.statusCode, headers);
    this.#streams = true;
    // The server may be silent for as long as it works.
    keepAlive(response);
    // They are sent with the first event if that is here already, once its record is written.
    setImmediate(() => setImmediate(() => this.#flushHeaders()));
    for (const message of this.#own) await this.#write(sseEvent(message));
    const splitter = new SseSplitter(maxBytes);
    for await (const chunk of answer.body.pieces()) {
      for (const event of splitter.push(chunk)) await this.#relayEvent(event);
    }
    // The rest is not an event, and a client would take what is written next for its end.
    const rest = skippedRestText(splitter.rest());
    if (rest !== undefined) this.#parts.leftOut(rest);
    const reason =
      this.#others.length > 0
        ? `the server sent a ${unexpectedIdsText(this.#others)}`
        : "the server's stream ended without a response";
    await this.#endStream({ reason });
  }

  /** Ends the stream to the client, and its pending requests, unless their responses may still come. */
  async #endStream(failure: UpstreamFailure): Promise<void> {
    const { resumable, response } = this.#parts;
    const { cut } = failure;
    if (!(resumable && this.#marked)) {
      for (const message of await settle(this.#parts, failure))
        await this.#write(sseEvent(message));
    } else if (cut !== undefined) {
      await refuseCut(this.#parts, cut, []);
    }
    response.end();
  }

  async #relayEvent(event: SseEvent): Promise<void> {
    const { pipeline, frame: asked, resumable, resumes: resumed, tell } = this.#parts;
    // Its client would post to a path that the gateway does not have.
    if (event.type === "endpoint" && asked === undefined)
      throw new UnreadableResponseError(OLD_TRANSPORT);
    if (event.id !== undefined) {
      this.#marked = event.id !== "";
      this.#parts.marked(event.id);
    }
    // MCP messages are events of the type "message"; clients should read no other.
    if (event.data === undefined || event.data.length === 0 || event.type !== "message") {
      await this.#announce();
      const other = remainingEventBytes(event, (data) => pipeline.read(data));
      if (other !== event.raw && event.data?.length) this.#parts.leftOut(skippedEventText(event));
      await this.#write(other);
      return;
    }
    const frame = pipeline.read(event.data);
    if (this.#others.length < MAX_OTHERS) this.#others.push(...this.#otherIds(frame));
    const place = { resumed, resumable: resumable && this.#marked, answers: this.#asked };
    const { onward, back = [] } = await pipeline.fromServer(frame, place);
    for (const message of back) tell(message);
    // Requests that are answered by now need no other gateway.
    await this.#announce();
    await this.#write(eventBytes(event, frame, onward));
  }

  /** Before the first event after which the client may ask another gateway for the rest of the stream. */
  async #announce(): Promise<void> {
    const { pipeline, frame, resumable } = this.#parts;
    if (this.#announced || !this.#marked || !resumable || frame === undefined) return;
    this.#announced = true;
    await pipeline.announce(this.#asked ?? []);
  }

  #flushHeaders(): void {
    const { response } = this.#parts;
    if (!(this.#begun || response.destroyed || response.writableEnded)) response.flushHeaders();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { response } = this.#parts;
    if (bytes.length === 0 || response.destroyed || response.writableEnded) return;
    this.#begun = true;
    if (response.write(bytes)) return;
    await waitForDrain(response);
  }
}

/** A POST, and the pipeline of its requests. */
interface Asked {
  readonly pipeline: Pipeline;
  /** Undefined for a GET or DELETE. */
  readonly frame: Frame | undefined;
  readonly maxBytes: number;
}

/** Ends the requests of a POST that have no response. Returns the errors for the client. */
async function settle(asked: Asked, failure: UpstreamFailure): Promise<readonly Uint8Array[]> {
  const { frame, pipeline } = asked;
  const { reason, cut, unreadable } = failure;
  const requests = frame === undefined ? [] : requestsOf(frame);
  const keys = (): string[] => requests.flatMap(({ idKey }) => idKey ?? []);
  if (cut !== undefined) return refuseCut(asked, cut, keys());
  if (unreadable === true && requests.length > 0) {
    const { onward } = await pipeline.unreadable(reason, keys());
    return onward === undefined ? [] : [onward];
  }
  const answers = await Promise.all(keys().map((key) => pipeline.fail(key, reason)));
  return answers.filter((answer) => answer !== undefined);
}

/**
 * Records a response that is too large. Returns the error for the requests that it ends.
 * @param keys of the requests that can get no other response
 */
async function refuseCut(
  { maxBytes, pipeline }: Asked,
  cut: CutMessage,
  keys: readonly string[],
): Promise<Uint8Array[]> {
  const { onward } = await pipeline.oversize("server", cut, maxBytes, keys);
  return onward === undefined ? [] : [onward];
}
